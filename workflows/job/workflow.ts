import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { JobResult } from '../../subgraphs/catalog/jobs/result.ts';
import { type JobRun, pauseSignal, progressQuery, searchAttributes, stopSignal } from '../contract.ts';
import type { ItemRef, JobActivities } from './activities.ts';
import { runLanes } from './lanes.ts';
import { Window } from './window.ts';

const { beginJob, openItems, finishJob, failItem, jobResult } = proxyActivities<JobActivities>({
  startToCloseTimeout: '1 minute',
  // Retry without limit: the database may be down for hours.
  retry: { maximumInterval: '30 seconds' },
});
const { processItem } = proxyActivities<JobActivities>({
  // Longer than all responses that one item may wait for; each of those has its own timeout.
  startToCloseTimeout: '45 minutes',
  // A stop lets the current attempt finish.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 3, maximumInterval: '2 minutes', maximumAttempts: 5 },
});

const PAGE = 100;
/** Attempts per run. Temporal warns at 10,240 events in a history; an attempt takes three to six. */
const RUN = 1_000;
/** Attempts of an item while the provider throttles, some ten minutes. */
const THROTTLED_ATTEMPTS = 10;
const SHORTEST_PAUSE = 2_000;
const LONGEST_PAUSE = 120_000;

const STOPPED = 'Job was stopped by user';

/**
 * Process the items of a job of any kind, within a window that adapts to the model provider. After `stop` or `pause`, finish
 * the items in progress first. The workflow fails when all items failed, so that operators see it.
 */
export async function runJob(run: JobRun): Promise<JobResult | undefined> {
  const { kind, jobId, organizationId, after = -1, finished: before = 0 } = run;
  const job = { kind, jobId, organizationId };
  let stopping = false;
  let pausing = false;
  const isHalting = () => stopping || pausing;
  const inProgress: number[] = [];
  let finished = before;
  let throttled = 0;
  let lastTurn = after;
  const attempts = new CancellationScope();
  setHandler(stopSignal, () => {
    stopping = true;
    // Ends pending retries but not the current attempt. Histories from before this patch do not contain it.
    if (patched('stop-ends-attempts')) attempts.cancel();
  });
  setHandler(pauseSignal, () => {
    pausing = true;
  });
  setHandler(progressQuery, () => ({ finished, inProgress: sum(inProgress), stopping }));
  upsertSearchAttributes([{ key: searchAttributes.status, value: 'processing' }]);

  const { concurrency, limit = concurrency, open } = await beginJob(job);
  const window = new Window({ initial: concurrency, limit }, run.window);
  const items = open ? readAhead(job, after) : undefined;

  /** Runs the next item. Returns false when this run shall start no more items. */
  const runNext = async () => {
    if (isHalting() || finished + throttled + sum(inProgress) - before >= RUN) return false;
    const item = await items?.next();
    if (!item) return false;
    const { phase, turn } = item;
    lastTurn = Math.max(lastTurn, turn);
    // Count before the first await: a later phase must see every item of the earlier phases.
    inProgress[phase] = (inProgress[phase] ?? 0) + 1;
    await condition(() => isHalting() || sum(inProgress.slice(0, phase)) === 0);
    const mayStart = !isHalting();
    if (mayStart) await attempts.run(() => work(item)).catch((error: unknown) => failItem(item, reasonOf(error)));
    inProgress[phase] -= 1;
    finished += Number(mayStart);
    return true;
  };
  const work = async (item: ItemRef) => {
    for (let attempt = 1; ; attempt += 1) {
      const result = await window.run(() => process(item));
      if (!result?.throttled) return;
      throttled += 1;
      const { waitMs = pauseAfter(attempt), reason } = result.throttled;
      if (attempt === THROTTLED_ATTEMPTS) throw ApplicationFailure.nonRetryable(reason, 'ProviderFault');
      await sleep(waitMs);
      while (window.isFull) await condition(() => !window.isFull);
    }
  };
  await runLanes(() => window.size, runNext);

  if (!isHalting() && !(items?.exhausted ?? true))
    await continueAsNew<typeof runJob>({ ...job, after: lastTurn, finished, window: window.size });
  const status = await finishJob(job);
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  // The job was paused, and resumed before this run ended.
  if (status === 'processing') await continueAsNew<typeof runJob>(job);
  // Histories from before this patch have no result.
  if (!patched('job-result')) return undefined;
  const result = await jobResult(job);
  if (status === 'paused' || result.succeeded > 0 || result.failed === 0 || result.status === 'stopped') return result;
  const message = `All ${result.failed} items failed: ${result.errors[0]?.message}`;
  throw ApplicationFailure.create({ type: 'AllItemsFailed', message, nonRetryable: true, details: [result] });
}

/** The summary names the item in the Temporal UI. Items in histories of earlier versions have no name. */
const process = (item: ItemRef) => (item.name ? processItem.executeWithOptions({ summary: item.name }, [item]) : processItem(item));

const pauseAfter = (attempt: number) => Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 3 ** (attempt - 1));

const sum = (counts: number[]) => counts.reduce((all, each) => all + (each ?? 0), 0);

/** Returns the open items of a job in order and reads them page by page. Concurrent lanes wait for the same page. */
function readAhead(job: JobRun, after: number) {
  let page: ItemRef[] = [];
  let last = after;
  let reading: Promise<void> | undefined;
  const items = {
    exhausted: false,
    async next(): Promise<ItemRef | undefined> {
      while (page.length === 0 && !items.exhausted) {
        reading ??= read();
        await reading;
      }
      return page.shift();
    },
  };
  const read = async () => {
    page = await openItems(job, last, PAGE);
    last = page.at(-1)?.turn ?? last;
    items.exhausted = page.length === 0;
    reading = undefined;
  };
  return items;
}

/** The message of an item whose retries are exhausted: the cause, without the wrapper errors of Temporal. */
function reasonOf(error: unknown): string {
  if (isCancellation(error)) return STOPPED;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === 'ProviderFault'
    ? `The model provider could not answer: ${cause.message}`
    : 'The item could not be processed. Please try again.';
}
