/**
 * Reads content that others wrote, in threads. Such content decides how long a parser runs, so the event loop must not wait for one.
 *
 * - A task that exceeds its limit of processor time, memory or time is ended with its thread, and the thread is replaced.
 * - Organizations take turns: one task at a time each, and the organization that recently used the least processor time is next.
 * - A task that exceeds its slice is interrupted, and runs again beside at most one other long task of its lane.
 * - An organization has a maximum of waiting tasks, and a task waits a maximum of time.
 * - Threads have no environment, because it contains secrets.
 */

import { availableParallelism } from 'node:os';
import { forbidInTransaction } from '../database/index.ts';
import { Lane, type RunOptions } from './lane.ts';
import type { Moved } from './task.ts';

/** The tasks of a module. They run in a thread, so their modules must be TypeScript that Node can strip. */
type Tasks = Record<string, (input: never) => unknown>;
type Input<F> = F extends (input: infer I) => unknown ? I : never;
type Result<F> = F extends (input: never) => infer R ? (Awaited<R> extends Moved<infer T> ? T : Awaited<R>) : never;

const SECOND = 1_000;
/** Megabytes of a task that reads no file. */
const MEMORY = 256;
/** V8 kills the whole process if one allocation exceeds the heap of a thread, so tasks are ended much earlier. */
const heapMb = 4_096;

/** Each lane has its own threads, so that long work never delays short work of another lane. */
const lanes = {
  /** Parameters, schemas and responses of tools: a chat waits for them. */
  tools: new Lane('tools', {
    threads: 2,
    sliceMs: 25,
    cpuMs: SECOND,
    totalMs: 5 * SECOND,
    waitMs: 30 * SECOND,
    megabytes: MEMORY,
    heapMb,
  }),
  /** Pages, HTML and cells. */
  pages: new Lane('pages', {
    threads: 2,
    sliceMs: 100,
    cpuMs: 2 * SECOND,
    totalMs: 10 * SECOND,
    waitMs: 30 * SECOND,
    megabytes: MEMORY,
    heapMb,
  }),
  /** Uploaded files. Each has its own limit of memory. */
  files: new Lane('files', {
    threads: Math.max(2, availableParallelism() - 1),
    cpuMs: 30 * SECOND,
    totalMs: 45 * SECOND,
    waitMs: 40 * SECOND,
    heapMb,
  }),
};

/** Megabytes of all threads that read no files. */
export const MAX_HEAP_MB = 4 * MEMORY;

/**
 * A function that runs the tasks of a module in the threads of a lane. It rejects with `ContentFault`, or the reason of the signal.
 * @param module exports `tasks`
 */
export function reader<T extends Tasks>(lane: keyof typeof lanes, { href }: URL) {
  lanes[lane].preload(href);
  return <N extends keyof T & string>(
    owner: string,
    name: N,
    input: Input<T[N]>,
    options: RunOptions = {},
  ): Promise<Result<T[N]>> => {
    forbidInTransaction('A thread');
    return lanes[lane].run(owner, { module: href, name, input }, options) as Promise<Result<T[N]>>;
  };
}
