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
import { fail } from '../../schema/errors.ts';
import { forbidInTransaction } from '../database/index.ts';
import type { tasks } from './content-tasks.ts';
import type { tasks as documentTasks } from './document-tasks.ts';
import { Lane, type RunOptions } from './lane.ts';
import type { tasks as mailTasks } from './mail-tasks.ts';
import { sanitizeOrThrow } from './sanitize.ts';
import { ContentFault, type Moved } from './task.ts';

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

/** Runs the tasks of pages, HTML and images. Rejects with `ContentFault`, or the reason of the signal. */
export const readContent = reader<typeof tasks>('pages', new URL('./content-tasks.ts', import.meta.url));

/** Reads mails of others. Rejects with `ContentFault`. */
export const readMail = reader<typeof mailTasks>('pages', new URL('./mail-tasks.ts', import.meta.url));

/** Reads documents of others. Rejects with `ContentFault`, or the reason of the signal. */
export const readDocument = reader<typeof documentTasks>('files', new URL('./document-tasks.ts', import.meta.url));

/** Characters of HTML that are cleaned on the event loop, which takes less than 5 ms for the worst of them. */
export const MAX_INLINE = 8_000;
/** Characters of one task. */
const BATCH = 500_000;

/** Clean HTML that a caller sent, by an allow-list. Throws `INVALID_INPUT`, and `RATE_LIMITED` while too much other content is read. */
export async function cleanHtml(owner: string, html: string): Promise<string> {
  return (await cleanAll(owner, [html]))[0]!;
}

/** Like `cleanHtml`, for many texts. */
export async function cleanAll(owner: string, texts: readonly string[]): Promise<string[]> {
  const cleaned: string[] = [];
  try {
    for (const batch of batchesOf(texts, BATCH)) {
      const isSmall = batch.reduce((sum, { length }) => sum + length, 0) <= MAX_INLINE;
      cleaned.push(...(isSmall ? batch.map(sanitizeOrThrow) : await readContent(owner, 'cleanHtml', batch)));
    }
    return cleaned;
  } catch (error) {
    throw error instanceof ContentFault ? refusalOf(error) : error;
  }
}

const messages: Partial<Record<ContentFault['reason'], string>> = {
  time: 'HTML takes too long to read',
  memory: 'HTML takes too much memory to read',
};

const refusalOf = ({ reason, message }: ContentFault) =>
  reason === 'busy' ? fail('RATE_LIMITED', message) : fail('INVALID_INPUT', messages[reason] ?? message);

/** Groups of texts that have at most so many characters together, or one text each. */
export function* batchesOf(texts: readonly string[], limit: number): Generator<string[]> {
  let [batch, size]: [string[], number] = [[], 0];
  for (const text of texts) {
    if (size + text.length > limit && batch.length > 0) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(text);
    size += text.length;
  }
  if (batch.length > 0) yield batch;
}
