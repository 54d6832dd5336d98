import { ModuleMocker } from 'jest-mock';

/** The environment of a test file that runs directly on Node, without a separate V8 context. */
export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  async setup() {
    // Node maps the lines of stack traces itself; Jest's function knows only the files that it has loaded.
    delete Error.prepareStackTrace;
  }

  async teardown() {}

  exportConditions() {
    return [];
  }

  /** Jest requires this function. */
  getVmContext() {
    return null;
  }
}
