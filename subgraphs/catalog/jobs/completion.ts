import { moveCredits } from '../../../platform/credits/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import { countItems, endItems } from './counting.ts';
import type { Job } from './entity.ts';
import type { JobItem } from './item-entity.ts';
import type { Outcome } from './kind.ts';
import { itemCharge } from './price.ts';

/** An item whose work is done, with its result. */
interface Completion {
  item: JobItem;
  cost: number;
  outcome: Outcome;
}

interface Waiting extends Completion {
  /** Whether the item was still open. */
  resolve(isCounted: boolean): void;
  reject(error: unknown): void;
}

/** Maximum items of a transaction. */
const MAX_BATCH = 20;

/** The completions that wait for the current transaction of their job in this process. */
const queues = new Map<string, Waiting[]>();

/**
 * Completes an item: writes its result, the counters and the log in one transaction. Items of a job that complete during that transaction
 * share the next one, because they would wait for each other anyway. Returns false if the item had already ended.
 */
export async function completeItem(scope: Scope, job: Job, completion: Completion): Promise<boolean> {
  if (!mayShare(job, completion.outcome)) return write(scope, job, [completion]).then(([isCounted]) => isCounted!);
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const waiting = { ...completion, resolve, reject };
  const queue = queues.get(job.id);
  if (queue) queue.push(waiting);
  else void writeQueue(scope, job, [waiting]);
  return promise;
}

/** The limits of the error rate and the confidence apply after each item. */
const mayShare = ({ maxErrorRate, minConfidence }: Job, { batch }: Outcome): boolean =>
  batch !== undefined && maxErrorRate === null && minConfidence === null;

async function writeQueue(scope: Scope, job: Job, queue: Waiting[]): Promise<void> {
  queues.set(job.id, queue);
  while (queue.length > 0) await writeTogether(scope, job, queue.splice(0, MAX_BATCH));
  queues.delete(job.id);
}

/**
 * Never rejects. When a transaction of several items fails, each gets its own, so that one item cannot fail the others. The queue does
 * not wait for these.
 */
async function writeTogether(scope: Scope, job: Job, items: Waiting[]): Promise<void> {
  try {
    const counted = await write(scope, job, items);
    for (const [at, { resolve }] of items.entries()) resolve(counted[at]!);
  } catch (error) {
    if (items.length === 1) return items[0]!.reject(error);
    for (const item of items) void writeTogether(scope, job, [item]);
  }
}

/** Writes items of one job in one transaction. Returns for each whether it was still open. */
function write(scope: Scope, { id: jobId, kind }: Job, completions: readonly Completion[]): Promise<boolean[]> {
  return transaction(scope, async (inner) => {
    const endings = completions.map(({ item: { id }, cost, outcome }) => ({ ...outcome.item, id, cost }));
    const ended = await endItems(inner, 'completed', endings);
    const open = completions.filter(({ item }) => ended.has(item.id));
    // A crash of PostgreSQL can lose the start of an item, with its charge, while the item runs.
    const uncharged = open.filter(({ item }) => ended.get(item.id) === 'pending');
    for (const { item, cost } of uncharged) await moveCredits(inner, itemCharge(kind, item.id, cost), { enforce: false });
    if (open.length > 0) {
      await apply(
        inner,
        open.map(({ outcome }) => outcome),
      );
      await countItems(
        inner,
        jobId,
        open.map(({ item }) => item.id),
        {
          cost: open.reduce((sum, { cost }) => sum + cost, 0),
          confidences: open.flatMap(({ outcome }) => confidencesOf(outcome.item)),
        },
      );
    }
    return completions.map(({ item }) => ended.has(item.id));
  });
}

async function apply(scope: Scope, outcomes: readonly Outcome[]): Promise<void> {
  const results = outcomes.flatMap(({ batch }) => (batch ? [batch.result] : [])) as never[];
  await outcomes[0]!.batch?.write(scope, results);
  for (const outcome of outcomes) await outcome.apply?.(scope);
}

/** The calibrated confidences of the values that a model found. */
const confidencesOf = ({ provenance }: Outcome['item']): number[] =>
  Object.values(provenance ?? {}).flatMap(({ sourceKind, confidence }) => (sourceKind === 'variants' ? [] : [confidence]));
