/**
 * Jest's module loader, with one change: what the product and its libraries are made of is loaded once per worker, as
 * it is once per process in production, and not once per test file. Test files and what lies beside them in `test/` are
 * loaded for each file.
 *
 * Loading them takes half of the processor time of an ordinary test file: compiling them, and running them before V8 has
 * optimised anything. Modules of the product hold no state but caches (services, stores and clocks are made and handed
 * in), so test files stay independent; node-environment.js gives each file fresh globals.
 */
const { fileURLToPath } = require('node:url');
const { default: Runtime } = require('jest-runtime');

/** Modules by address or path, for as long as the worker lives. */
const shared = { modules: new Map(), commonJs: new Map(), internal: new Map(), sourceMaps: new Map() };
/** The runtime of the test file that is running. */
let current;

const isShared = (path) => path.includes('/node_modules/') || !/\.test\.ts$|\/test\//.test(path);
/** Of Jest itself, all but what knows the test file. */
const isSharedInternal = (path) =>
  !/\/node_modules\/(jest-circus|expect|@jest\/expect|jest-snapshot|jest-mock)\//.test(path);
const pathOf = (key) => (key.startsWith('file://') ? fileURLToPath(key) : undefined);

class SharedModulesRuntime extends Runtime {
  #resolveAndLoad;
  #importFromCommonJs;

  constructor(...from) {
    super(...from);
    current = this;
    const { registries, esmLoader } = this;
    for (const [key, module] of shared.modules) registries.getActiveEsmRegistry().set(key, module);
    for (const [path, module] of shared.commonJs) registries.getActiveCjsRegistry().set(path, module);
    for (const [path, module] of shared.internal) registries.getInternalCjsRegistry().set(path, module);
    for (const [path, map] of shared.sourceMaps) this.getSourceMaps().set(path, map);
    // What a shared module imports later is loaded by the runtime of the file that is running.
    this.#resolveAndLoad = esmLoader.dynamicImport;
    this.#importFromCommonJs = esmLoader.dynamicImportFromCjs.bind(esmLoader);
    esmLoader.dynamicImport = (...asked) => current.#resolveAndLoad(...asked);
    esmLoader.dynamicImportFromCjs = (...asked) => current.#importFromCommonJs(...asked);
  }

  requireModuleOrMock(from, name) {
    return this.#asks() ? super.requireModuleOrMock(from, name) : current.requireModuleOrMock(from, name);
  }

  requireInternalModule(from, name) {
    return this.#asks() ? super.requireInternalModule(from, name) : current.requireInternalModule(from, name);
  }

  #asks() {
    return current === undefined || current === this;
  }

  setMock() {
    throw new Error('A mock would not reach modules that are loaded already: hand the replacement in.');
  }

  setModuleMock() {
    this.setMock();
  }

  teardown() {
    const { registries } = this;
    for (const [key, module] of registries.getActiveEsmRegistry()) {
      const path = pathOf(key);
      if (path !== undefined && isShared(path) && module.status === 'evaluated') shared.modules.set(key, module);
    }
    for (const [path, module] of registries.getActiveCjsRegistry())
      if (isShared(path) && module.loaded) shared.commonJs.set(path, module);
    for (const [path, module] of registries.getInternalCjsRegistry())
      if (isSharedInternal(path) && module.loaded) shared.internal.set(path, module);
    for (const [path, map] of this.getSourceMaps()) if (isShared(path)) shared.sourceMaps.set(path, map);
    super.teardown();
  }
}

module.exports = { default: SharedModulesRuntime, __esModule: true };
