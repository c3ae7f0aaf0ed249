/**
 * Jest's environment for Node with an ordinary global object. In Jest's own one a proxy behind interceptors stands for
 * it: each use of `Math` or `Object` costs a test a hundred times what it costs the product.
 */
import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

// The object whose property Jest reads, which an import is not.
// cspell:ignore DONT
const vm = createRequire(import.meta.url)('node:vm');

export default class OrdinaryGlobalEnvironment extends TestEnvironment {
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
  }
}
