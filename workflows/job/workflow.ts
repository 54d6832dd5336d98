import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { JobResult } from '../../subgraphs/catalog/jobs/result.ts';
import { type JobRun, pauseSignal, progressQuery, resumeSignal, searchAttributes, stopSignal } from '../contract.ts';
import type { ItemRef, JobActivities } from './activities.ts';
import { type Lanes, openLanes } from './lanes.ts';
import { RunProgress } from './progress.ts';
import { pauseAfter, Window } from './window.ts';

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
/** Attempts per run in histories of earlier versions. */
const RUN = 1_000;
/** Events per run, and events that an attempt in progress may add. Temporal warns at 10,240 events in a history. */
const [EVENTS, EVENTS_OF_ATTEMPT] = [9_500, 6];

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
  const progress = new RunProgress(after, before);
  let throttled = 0;
  const attempts = new CancellationScope();
  setHandler(stopSignal, () => {
    stopping = true;
    // Ends pending retries but not the current attempt. Histories from before this patch do not contain it.
    if (patched('stop-ends-attempts')) attempts.cancel();
  });
  setHandler(pauseSignal, () => {
    pausing = true;
  });
  let items: ReturnType<typeof readAhead> | undefined;
  let lanes: Lanes | undefined;
  let resumed = false;
  setHandler(resumeSignal, () => {
    resumed = true;
    // Before and after the lanes, the activities read the state of the job from the database.
    if (!lanes) return;
    pausing = false;
    // The pages of a paused job do not contain its pending items. Those that the pause left open are among them.
    items &&= readAhead(job, -1);
    progress.readAgain();
    lanes.open();
  });
  setHandler(progressQuery, () => ({ finished: progress.finished, inProgress: progress.inProgress, stopping }));
  upsertSearchAttributes([{ key: searchAttributes.status, value: 'processing' }]);

  const { concurrency, limit = concurrency, usual, open } = await beginJob(job);
  const isAdaptive = patched('adaptive-window');
  // Workers of earlier versions ignore it, so their histories have other commands.
  const grows = usual !== undefined && usual > concurrency && patched('usual-window');
  const steady = patched('steady-window');
  const paced = patched('paced-window');
  const window = new Window({ initial: concurrency, limit, usual: grows ? usual : undefined, steady, paced }, run.window);
  items = open ? readAhead(job, after) : undefined;
  // Each run ends with a pause, because its items in progress end before the next one starts. So runs are as long as possible.
  const isFull = () =>
    steady
      ? workflowInfo().historyLength + EVENTS_OF_ATTEMPT * progress.inProgress >= EVENTS
      : progress.finished + throttled + progress.inProgress - before >= RUN;

  /** Runs the next item. Returns false when none may start now. */
  const runNext = async () => {
    if (isHalting() || isFull()) return false;
    const item = await items?.next();
    if (!item) return false;
    if (progress.has(item)) return true;
    // Before the first await: a later phase must see every item of the earlier phases.
    progress.begin(item);
    await condition(() => isHalting() || progress.isDue(item));
    const mustWait = progress.isBlocked(item) && patched('later-phase-stays-open');
    const mayStart = !isHalting() && !mustWait;
    const isFinished = mayStart && (await attempts.run(() => work(item)).catch((error: unknown) => fail(item, error)));
    progress.end(item, isFinished);
    return true;
  };
  /** Runs an item until it ends. Returns false if it stays open for a later run. */
  const work = async (item: ItemRef) => {
    for (let attempt = 1; ; attempt += 1) {
      const result = await window.run(() => process(item));
      const refusal = result?.throttled;
      // Workers of earlier versions ignore it, and finish the job with the item open.
      const interrupted = steady ? result?.interrupted : undefined;
      if (!refusal && !interrupted) return true;
      throttled += 1;
      if (interrupted) attempt -= 1;
      // Otherwise an item whose prompt is too slow would get all attempts again.
      else attempt += refusal!.failures ?? 0;
      const pause = interrupted ? interrupted.waitMs : pauseAfter(attempt, refusal!.waitMs);
      if (pause === undefined) throw ApplicationFailure.nonRetryable(refusal!.reason, 'ProviderFault');
      await condition(isHalting, pause);
      while (window.isFull && !isHalting()) await condition(() => isHalting() || !window.isFull);
      if (stopping) throw new CancelledFailure(STOPPED);
      if (pausing || (steady ? isFull() : throttled >= RUN)) return false;
    }
  };
  const fail = async (item: ItemRef, error: unknown) => {
    await failItem(item, reasonOf(error));
    return true;
  };
  /** The loop of histories from before the window. Their order of commands depends on each await. */
  const fixedLane = async () => {
    while (!isHalting() && progress.finished + progress.inProgress - before < RUN) {
      const item = await items?.next();
      if (!item) return;
      progress.begin(item);
      await condition(() => isHalting() || progress.isDue(item));
      const mayStart = !isHalting();
      if (mayStart) await attempts.run(() => process(item)).catch((error: unknown) => failItem(item, reasonOf(error)));
      progress.end(item, mayStart);
    }
  };
  if (isAdaptive) {
    lanes = openLanes(() => window.size, runNext);
    await lanes.ended;
    lanes = undefined;
  } else await Promise.all(Array.from({ length: concurrency }, fixedLane));

  if (!isHalting() && !(items?.exhausted ?? true))
    await continueAsNew<typeof runJob>({ ...job, after: progress.after, finished: progress.finished, window: window.size });
  resumed = false;
  const status = await finishJob(job);
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  // The job was paused, and resumed before this run ended.
  if (status === 'processing' || resumed) await continueAsNew<typeof runJob>(job);
  // Histories from before this patch have no result.
  if (!patched('job-result')) return undefined;
  const result = await jobResult(job);
  if (resumed) await continueAsNew<typeof runJob>(job);
  if (status === 'paused' || result.succeeded > 0 || result.failed === 0 || result.status === 'stopped') return result;
  const message = `All ${result.failed} items failed: ${result.errors[0]?.message}`;
  throw ApplicationFailure.create({ type: 'AllItemsFailed', message, nonRetryable: true, details: [result] });
}

/** The summary names the item in the Temporal UI. Items in histories of earlier versions have no name. */
const process = (item: ItemRef) => (item.name ? processItem.executeWithOptions({ summary: item.name }, [item]) : processItem(item));

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
