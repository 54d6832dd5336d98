import '../../../start/typescript.mjs';
import { createRequire, flushCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const globals = new URL('globals.mjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : nextResolve(specifier, context),
});

let used = false;

/**
 * Loads a test file as Node loads the product: native modules with the shared caches of `start/typescript.mjs`. Jest's own
 * runtime compiles every module again for each file, which takes a quarter more CPU time. Each file needs a separate process,
 * because modules exist once per process.
 */
export default class NativeRuntime {
  constructor(_config, environment) {
    if (used) throw new Error('Each test file needs a separate process; run Jest without --runInBand.');
    used = true;
    this.mocker = environment.moduleMocker;
  }

  requireInternalModule(path) {
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  setGlobalsForRuntime() {
    const { mocker } = this;
    globalThis.jest = {
      fn: (implementation) => mocker.fn(implementation),
      spyOn: (...target) => mocker.spyOn(...target),
      clearAllMocks: () => mocker.clearAllMocks(),
      restoreAllMocks: () => mocker.restoreAllMocks(),
      setTimeout(milliseconds) {
        globalThis[TEST_TIMEOUT] = milliseconds;
      },
    };
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {}

  // Jest reports references to modules after the test code has ended; Node's modules stay.
  enterTestCode() {}
  leaveTestCode() {}

  teardown() {
    // Jest kills the process, which would lose the compiled code.
    flushCompileCache();
  }
}
