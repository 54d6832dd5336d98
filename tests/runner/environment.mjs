import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { log } from '../../platform/telemetry/index.ts';

const { exit } = process;
const { prepareStackTrace } = Error;

/** The environment of test files is the process itself. Jest's contexts would load the modules of the product again for each file. */
export default class ProcessEnvironment {
  global = globalThis;
  fakeTimers = null;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Jest replaces the function that knows the source maps.
    Error.prepareStackTrace = prepareStackTrace;
    // Tests provoke errors. Processes that they start log as configured.
    log.level = 'silent';
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    // Jest wraps it for each file.
    process.exit = exit;
  }

  exportConditions() {
    return [];
  }

  getVmContext() {
    return null;
  }
}
