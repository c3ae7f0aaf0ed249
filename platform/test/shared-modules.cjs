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

/** By project: a module belongs to the global object of the project's tests. */
const shared = new Map();

const isShared = (path) => path.includes('/node_modules/') || !/\.test\.ts$|\/test\//.test(path);
const pathOf = (key) => (key.startsWith('file://') ? fileURLToPath(key) : undefined);

class SharedModulesRuntime extends Runtime {
  #shared;
  #resolveAndLoad;
  #importFromCommonJs;

  constructor(config, ...rest) {
    super(config, ...rest);
    if (!shared.has(config.id))
      shared.set(config.id, { modules: new Map(), commonJs: new Map(), sourceMaps: new Map() });
    this.#shared = shared.get(config.id);
    this.#shared.current = this;
    const { modules, commonJs, sourceMaps } = this.#shared;
    for (const [key, module] of modules) this.registries.getActiveEsmRegistry().set(key, module);
    for (const [path, module] of commonJs) this.registries.getActiveCjsRegistry().set(path, module);
    for (const [path, map] of sourceMaps) this.getSourceMaps().set(path, map);
    // What a shared module imports later is loaded by the runtime of the file that is running.
    const { esmLoader } = this;
    this.#resolveAndLoad = esmLoader.dynamicImport;
    this.#importFromCommonJs = esmLoader.dynamicImportFromCjs.bind(esmLoader);
    esmLoader.dynamicImport = (...from) => this.#shared.current.#resolveAndLoad(...from);
    esmLoader.dynamicImportFromCjs = (...from) => this.#shared.current.#importFromCommonJs(...from);
  }

  requireModuleOrMock(from, name) {
    const { current } = this.#shared ?? { current: this };
    return current === this ? super.requireModuleOrMock(from, name) : current.requireModuleOrMock(from, name);
  }

  setMock() {
    throw new Error('A mock would not reach modules that are loaded already: hand the replacement in.');
  }

  setModuleMock() {
    this.setMock();
  }

  teardown() {
    const { modules, commonJs, sourceMaps } = this.#shared;
    for (const [key, module] of this.registries.getActiveEsmRegistry()) {
      const path = pathOf(key);
      if (path !== undefined && isShared(path) && module.status === 'evaluated') modules.set(key, module);
    }
    for (const [path, module] of this.registries.getActiveCjsRegistry())
      if (isShared(path) && module.loaded) commonJs.set(path, module);
    for (const [path, map] of this.getSourceMaps()) if (isShared(path)) sourceMaps.set(path, map);
    super.teardown();
  }
}

module.exports = { default: SharedModulesRuntime, __esModule: true };
