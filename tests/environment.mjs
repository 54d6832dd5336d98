import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/** Jest's environment for Node, except that the global object is an ordinary one. Jest's proxy makes each access to a global slow. */
export default class PlainGlobals extends TestEnvironment {
  constructor(...options) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...options);
    } finally {
      vm.createContext = createContext;
    }
  }
}
