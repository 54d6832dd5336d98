import { createContext, Script } from 'node:vm';

const sandbox: { work?: () => unknown } = createContext({ work: undefined });
const script = new Script('work()');

/** Synchronous work that exceeded its time limit. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Run synchronous work and terminate it after `timeoutMs`, even inside a regular expression. For work whose cost an input decides.
 * Throws `DeadlineExceeded`. The work must not await and must not change state that others read.
 */
export function withDeadline<T>(timeoutMs: number, work: () => T): T {
  sandbox.work = work;
  try {
    return script.runInContext(sandbox as object, { timeout: timeoutMs }) as T;
  } catch (error) {
    // The error comes from another realm, so `instanceof Error` is false.
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new DeadlineExceeded(`The work took longer than ${timeoutMs} ms.`);
    throw error;
  } finally {
    sandbox.work = undefined;
  }
}
