/**
 * Jest's environment for Node with an ordinary global object. In Jest's own one a proxy behind interceptors stands for
 * it: each use of `Math` or `Object` costs a test a hundred times what it costs the product.
 *
 * The test files of a worker have one environment, because they share modules (shared-modules.cjs). Each file finds it
 * as the first one did.
 */
import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

// The object whose property Jest reads, which an import is not.
// cspell:ignore DONT
const vm = createRequire(import.meta.url)('node:vm');

let existing;

/** Jest calls it for every test file, with `new`. The projects of jest.config.js differ in their folders only. */
export default function environmentOf(config, context) {
  existing?.restore();
  existing ??= new OrdinaryGlobalEnvironment(config, context);
  return existing;
}

class OrdinaryGlobalEnvironment extends TestEnvironment {
  #firstOf;

  constructor(config, context) {
    const { createContext } = vm;
    let made = 0;
    vm.createContext = () => {
      made += 1;
      return createContext(vm.constants.DONT_CONTEXTIFY);
    };
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
    if (made !== 1) throw new Error('jest-environment-node no longer makes its context with vm.createContext');
    const { process } = this.global;
    // A global of pg-promise, which is loaded once for all files.
    this.global.pgPromiseAssert = createRequire(createRequire(import.meta.url).resolve('pg-promise'))(
      'assert-options',
    ).assertOptions;
    const objects = [this.global, process, process.env];
    this.#firstOf = objects.map((object) => [object, Object.getOwnPropertyDescriptors(object)]);
  }

  /** Removes what a test file has added to globals and environment variables, and puts back what it has changed. */
  restore() {
    for (const [object, first] of this.#firstOf) {
      for (const key of Reflect.ownKeys(object))
        if (!Object.hasOwn(first, key) && Object.getOwnPropertyDescriptor(object, key).configurable) delete object[key];
      for (const key of Reflect.ownKeys(first)) {
        const now = Object.getOwnPropertyDescriptor(object, key);
        if (now === undefined || now.configurable) Object.defineProperty(object, key, first[key]);
        else if (now.writable) object[key] = first[key].value;
      }
    }
  }

  // The context stays for the next test file.
  async teardown() {
    this.fakeTimers.useRealTimers();
    this.fakeTimersModern.useRealTimers();
  }
}
