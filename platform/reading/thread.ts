// Entry of the threads. It relies on type stripping of Node, because the loader of the main process is a native module, and
// terminating a thread that has loaded it crashes the process.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext, Script } from 'node:vm';
import { workerData } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { ContentFault, type FaultReason, Moved } from './task.ts';

/** The modules of the lane, which a thread loads before its first task, because the time of a task starts with it. */
export interface ThreadData {
  modules: string[];
}

export interface Order {
  module: string;
  name: string;
  input: unknown;
  /** Milliseconds of processor time after which the synchronous part of the task is interrupted. */
  sliceMs?: number;
}

/** The outcome of a task and the milliseconds of processor time that it took. */
export type TaskOutcome = { cpuMs: number } & (
  | { result: unknown }
  | { fault: string; reason: FaultReason }
  | { error: string }
  | { isInterrupted: true }
);

type Task = (input: unknown) => unknown;
const modules = new Map<string, Record<string, Task>>();
const load = async (url: string): Promise<void> =>
  void modules.set(url, ((await import(url)) as { tasks: Record<string, Task> }).tasks);
for (const url of (workerData as ThreadData).modules) await load(url);

const scope = globalThis as { interruptible?: () => unknown };
/** Only V8 can interrupt a loop, and it does so for scripts with a timeout. */
const script = new Script('globalThis.interruptible()');

/** Milliseconds that pass for a millisecond of processor time, by the last tasks: timeouts of scripts do not count processor time. */
let slowness = 4;
const [MIN_ELAPSED, MAX_SLOWNESS] = [5, 10];

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
/** Bytes above which the garbage of earlier tasks is collected, because it would count as memory of the next. The heap is too large for V8 to do so. */
const MAX_GARBAGE = 48 * 1024 * 1024;

export async function run({ module, name, input, sliceMs }: Order): Promise<TaskOutcome> {
  // Its lane can learn of a module after the thread has started.
  if (!modules.has(module)) await load(module);
  if (getHeapStatistics().used_heap_size > MAX_GARBAGE) collectGarbage();
  const [before, started] = [process.threadCpuUsage(), performance.now()];
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage(before);
    const [used, elapsed] = [(user + system) / 1_000, performance.now() - started];
    if (elapsed > MIN_ELAPSED) slowness = (slowness + Math.min(Math.max(elapsed / used, 1), MAX_SLOWNESS)) / 2;
    return used;
  };
  try {
    const task = modules.get(module)![name]!;
    scope.interruptible = () => task(input);
    const result = await script.runInThisContext({ timeout: sliceMs && Math.ceil(sliceMs * slowness) });
    if (!(result instanceof Moved)) return { result, cpuMs: cpuMs() };
    const answer = {
      [Piscina.valueSymbol]: { result: result.value, cpuMs: cpuMs() },
      [Piscina.transferableSymbol]: result.buffers,
    };
    return Piscina.move(answer as never) as never;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { isInterrupted: true, cpuMs: cpuMs() };
    if (error instanceof ContentFault) return { fault: error.message, reason: error.reason, cpuMs: cpuMs() };
    return { error: (error as Error).stack ?? String(error), cpuMs: cpuMs() };
  }
}
