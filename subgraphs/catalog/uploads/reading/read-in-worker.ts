import { Worker } from 'node:worker_threads';
import { forbidInTransaction } from '../../../common/database/transactions.ts';
import { log } from '../../../common/telemetry/log.ts';
import { FileFault } from '../pages.ts';
import type { Outcome, ReadRequest } from './thread.ts';

/** Resource limits of one worker. */
export interface Limits {
  milliseconds: number;
  megabytes: number;
}

const MB = 1024 * 1024;
const CHECK_INTERVAL = 50;
const TOO_MUCH = 'the file takes too much memory to read';
/** V8 kills the whole process if one allocation exceeds this, so the polled limit is much lower. */
const MAX_HEAP_MB = 4_096;

/**
 * Reads a file in a worker thread and returns its pages as JSON arrays in UTF-8. The buffer is transferred to the thread. Throws `FileFault` if
 * the file is unreadable or exceeds the limits, and the reason of the signal if it aborts first.
 */
export async function readInWorker(
  mime: string,
  { buffer }: Uint8Array<ArrayBuffer>,
  limits: Limits,
  signal?: AbortSignal,
): Promise<Uint8Array[]> {
  forbidInTransaction('A thread');
  signal?.throwIfAborted();
  const workerData: ReadRequest = { mime, bytes: buffer };
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
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
    if ('error' in outcome) log.error({ err: outcome.error, mime }, 'Failed to read a file');
    throw new FileFault('fault' in outcome ? outcome.fault : 'the file cannot be read');
  } finally {
    await thread.terminate();
  }
}

async function outcomeOf(thread: Worker, { milliseconds, megabytes }: Limits, signal?: AbortSignal): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const refuse = (fault: string) => resolve({ fault });
  const abort = () => reject(signal?.reason);
  const timer = setTimeout(() => refuse('the file takes too long to read'), milliseconds);
  signal?.addEventListener('abort', abort, { once: true });
  thread.once('message', resolve);
  thread.once('exit', () => resolve({ error: 'the thread ended' }));
  thread.once('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? refuse(TOO_MUCH) : resolve({ error: error.stack ?? String(error) }),
  );
  // A busy thread still answers, but one that has not started does not, so checks must not wait for each other.
  const checks = setInterval(async () => {
    const held = await thread.getHeapStatistics().catch(() => undefined);
    if (held && held.used_heap_size + held.external_memory > megabytes * MB) refuse(TOO_MUCH);
  }, CHECK_INTERVAL);
  return promise.finally(() => {
    clearTimeout(timer);
    clearInterval(checks);
    signal?.removeEventListener('abort', abort);
  });
}
