import { setTimeout as sleep } from 'node:timers/promises';
import { isDataError } from '../../../platform/database/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { chatReplies, log } from '../../../platform/telemetry/index.ts';
import { type Chunk, closingChunks } from './chunks.ts';
import { repliesOf } from './replies.ts';
import type { Reply } from './reply.ts';
import { FAILED_TEXT, type Outcome, settleReply } from './settle.ts';
import { readState } from './store.ts';

const ATTEMPTS = 20;
const DELAY = 500;

/**
 * Store the end of a reply before its readers see it, because a reader may send the next message at once. While the database is down it
 * retries; after that the lease expires, and another process stores the end. A reply that cannot be stored ends as failed.
 */
export async function finishReply(services: Services, reply: Reply, outcome: Outcome): Promise<void> {
  await repliesOf(services).settling(reply);
  let end = endOf(reply.chunks, outcome);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      const isOurs =
        (await settleReply(services, reply.ref, { ...end, stored: reply.stored })) || (attempt > 1 && (await isSettled()));
      if (isOurs) chatReplies.inc({ status: end.outcome.status });
      return reply.push(...closingOf(reply.chunks, isOurs ? end.outcome.status : 'failed'));
    } catch (error) {
      log.warn({ err: error, replyId: reply.ref.id }, 'Failed to store the end of a reply');
      if (services.background.signal.aborted) break;
      if (isDataError(error)) end = endOf(reply.chunks, { status: 'failed', error: 'Internal error' }, reply.stored);
      await sleep(DELAY, undefined, { ref: false });
    }
  }
  reply.push(...closingOf(reply.chunks, 'failed'));

  /** The answer to an earlier attempt may be lost after its commit. Other processes only store that a reply failed. */
  async function isSettled(): Promise<boolean> {
    const state = await readState(services.pool, reply.ref.id);
    return state?.status === end.outcome.status;
  }
}

/** @param kept the number of chunks to keep in the stored reply; by default all */
function endOf(all: readonly Chunk[], outcome: Outcome, kept = all.length) {
  const chunks = all.slice(0, kept);
  return { outcome, chunks: [...chunks, ...closingOf(chunks, outcome.status)] };
}

const closingOf = (chunks: readonly Chunk[], status: Outcome['status']): Chunk[] =>
  closingChunks(chunks, status === 'failed' ? FAILED_TEXT : undefined);
