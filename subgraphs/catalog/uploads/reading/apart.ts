import { Worker } from 'node:worker_threads';
import { log } from '../../../common/log.ts';
import { forbidInTransaction } from '../../../common/transactions.ts';
import { FileFault } from '../pages.ts';
import type { Outcome, Reading } from './thread.ts';

/** What a file may take of the process that has it read. */
export interface Limits {
  milliseconds: number;
  megabytes: number;
}

const MB = 1024 * 1024;
const LOOK_EVERY = 50;
const TOO_MUCH = 'the file takes too much memory to read';
/** V8 ends the whole process when a single allocation goes beyond this, so what is watched for stays well below. */
const MOST_HEAP_MB = 4_096;

/**
 * The pages of a file as JSON texts of lists, read in a thread of its own that is ended when it takes too much. The bytes are the
 * thread's from now on. Throws `FileFault` when the file cannot be read within the limits, and the signal's reason when that comes first.
 */
export async function readApart(
  mime: string,
  { buffer }: Uint8Array<ArrayBuffer>,
  limits: Limits,
  signal?: AbortSignal,
): Promise<string[]> {
  forbidInTransaction('A thread');
  signal?.throwIfAborted();
  const workerData: Reading = { mime, bytes: buffer };
  const resourceLimits = { maxOldGenerationSizeMb: MOST_HEAP_MB };
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData,
    transferList: [buffer],
    execArgv: [],
    env: {},
    resourceLimits,
  });
  try {
    const outcome = await outcomeOf(thread, limits, signal);
    if ('pages' in outcome) return outcome.pages;
    if ('error' in outcome) log.error({ err: outcome.error, mime }, 'a file could not be read');
    throw new FileFault('fault' in outcome ? outcome.fault : 'the file cannot be read');
  } finally {
    await thread.terminate();
  }
}

async function outcomeOf(thread: Worker, { milliseconds, megabytes }: Limits, signal?: AbortSignal): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const refuse = (fault: string) => resolve({ fault });
  const gone = () => reject(signal?.reason);
  const timer = setTimeout(() => refuse('the file takes too long to read'), milliseconds);
  signal?.addEventListener('abort', gone, { once: true });
  thread.once('message', resolve);
  thread.once('exit', () => resolve({ error: 'the thread ended' }));
  thread.once('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? refuse(TOO_MUCH) : resolve({ error: error.stack ?? String(error) }),
  );
  // Asked in between its instructions, a thread answers however busy it is; not before it runs, so each look is by itself.
  const looks = setInterval(async () => {
    const held = await thread.getHeapStatistics().catch(() => undefined);
    if (held && held.used_heap_size + held.external_memory > megabytes * MB) refuse(TOO_MUCH);
  }, LOOK_EVERY);
  return promise.finally(() => {
    clearTimeout(timer);
    clearInterval(looks);
    signal?.removeEventListener('abort', gone);
  });
}
