import { createRequire } from 'node:module';
import { importTestFile } from './modules.mjs';

const require = createRequire(import.meta.url);
const runWithCircus = require('jest-circus/runner').default;

/** Runs a test file with Jest's own framework, but with the modules of Node instead of those of Jest. */
export default function run(globalConfig, config, environment, _runtime, path, send) {
  const runtime = {
    requireInternalModule: requireAgain,
    requireModule: require,
    setGlobalsForRuntime(globals) {
      globalThis[Symbol.for('test globals')] = { ...globals, jest: jestOf(environment) };
    },
    enterTestCode() {},
    leaveTestCode() {},
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: importTestFile,
  };
  return runWithCircus(globalConfig, config, environment, runtime, path, send);
}

/** Load the framework again, because it keeps the tests, handlers and time limit of a file. */
function requireAgain(path) {
  for (const name of ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL']) delete globalThis[Symbol.for(name)];
  delete require.cache[path];
  return require(path);
}

/** The functions of Jest that the tests use. */
function jestOf({ moduleMocker: mocker, fakeTimersModern: timers }) {
  return {
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: () => mocker.restoreAllMocks(),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    setSystemTime: (now) => timers.setSystemTime(now),
    advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
    getTimerCount: () => timers.getTimerCount(),
    setTimeout(milliseconds) {
      globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = milliseconds;
    },
  };
}
