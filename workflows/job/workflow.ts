import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { JobResult } from '../../subgraphs/catalog/jobs/engine.ts';
import {
  allFailedMessage,
  type JobRun,
  pauseSignal,
  progressQuery,
  resumeSignal,
  searchAttributes,
  stopSignal,
} from '../contract.ts';
import type { ItemRef, JobActivities } from './activities.ts';
import { ConcurrencyWindow, type Lanes, openLanes, pauseAfter } from './concurrency-window.ts';

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
/** Events per run, and events that an attempt in progress may add. Temporal warns at 10,240 events in a history. */
const [EVENTS, EVENTS_OF_ATTEMPT] = [9_500, 6];

const STOPPED = 'Job was stopped by user';

/**
 * Process the items of a job of any kind, within a window that adapts to the model provider. After `stop` or `pause`, finish
 * the items in progress first. The workflow fails when all items failed, so that operators see it.
 */
export async function runJob(run: JobRun): Promise<JobResult> {
  const { kind, jobId, organizationId, after = -1, finished: before = 0 } = run;
  const job = { kind, jobId, organizationId };
  let stopping = false;
  let pausing = false;
  const isHalting = () => stopping || pausing;
  const progress = new RunProgress(after, before);
  const attempts = new CancellationScope();
  setHandler(stopSignal, () => {
    stopping = true;
    // Ends pending retries but not the current attempt.
    attempts.cancel();
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
  const window = new ConcurrencyWindow({ initial: concurrency, limit, usual }, run.window);
  items = open ? readAhead(job, after) : undefined;
  // Each run ends with a pause, because its items in progress end before the next one starts. So runs are as long as possible.
  const isFull = () => workflowInfo().historyLength + EVENTS_OF_ATTEMPT * progress.inProgress >= EVENTS;

  /** Runs the next item. Returns false when none may start now. */
  const runNext = async () => {
    if (isHalting() || isFull()) return false;
    const item = await items?.next();
    if (!item) return false;
    if (progress.has(item)) return true;
    // Before the first await: a later phase must see every item of the earlier phases.
    progress.begin(item);
    await condition(() => isHalting() || progress.isDue(item));
    const mayStart = !isHalting() && !progress.isBlocked(item);
    const isFinished = mayStart && (await attempts.run(() => work(item)).catch((error: unknown) => fail(item, error)));
    progress.end(item, isFinished);
    return true;
  };
  /** Runs an item until it ends. Returns false if it stays open for a later run. */
  const work = async (item: ItemRef) => {
    for (let attempt = 1; ; attempt += 1) {
      const { throttled, interrupted } = await window.run(() => process(item));
      if (!throttled && !interrupted) return true;
      if (interrupted) attempt -= 1;
      // Otherwise an item whose prompt is too slow would get all attempts again.
      else attempt += throttled!.failures ?? 0;
      const pause = interrupted ? interrupted.waitMs : pauseAfter(attempt, throttled!.waitMs);
      if (pause === undefined) throw ApplicationFailure.nonRetryable(throttled!.reason, 'ProviderFault');
      await condition(isHalting, pause);
      while (window.isFull && !isHalting()) await condition(() => isHalting() || !window.isFull);
      if (stopping) throw new CancelledFailure(STOPPED);
      if (pausing || isFull()) return false;
    }
  };
  const fail = async (item: ItemRef, error: unknown) => {
    await failItem(item, reasonOf(error));
    return true;
  };
  lanes = openLanes(() => window.size, runNext);
  await lanes.ended;
  lanes = undefined;

  if (!isHalting() && !(items?.exhausted ?? true))
    await continueAsNew<typeof runJob>({ ...job, after: progress.after, finished: progress.finished, window: window.size });
  resumed = false;
  const status = await finishJob(job);
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  // The job was paused, and resumed before this run ended.
  if (status === 'processing' || resumed) await continueAsNew<typeof runJob>(job);
  const result = await jobResult(job);
  if (resumed) await continueAsNew<typeof runJob>(job);
  if (status === 'paused' || result.succeeded > 0 || result.failed === 0 || result.status === 'stopped') return result;
  const message = allFailedMessage(result.failed, result.errors[0]?.message);
  throw ApplicationFailure.create({ type: 'AllItemsFailed', message, nonRetryable: true, details: [result] });
}

/** The summary names the item in the Temporal UI. */
const process = (item: ItemRef) => processItem.executeWithOptions({ summary: item.name }, [item]);

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

type Position = Pick<ItemRef, 'turn' | 'phase'>;

/** The items of one run of a job: which are in progress, how many have finished, and which stay open for a later run. */
class RunProgress {
  /** Numbers of items in progress, by phase. */
  readonly #byPhase: number[] = [];
  readonly #turns = new Set<number>();
  #lastTurn: number;
  #firstOpen = Number.POSITIVE_INFINITY;
  #firstOpenPhase = Number.POSITIVE_INFINITY;

  /**
   * @param after turn of the last item before those that may be open
   * @param finished items that earlier runs have finished
   */
  constructor(
    after: number,
    public finished: number,
  ) {
    this.#lastTurn = after;
  }

  get inProgress(): number {
    return sum(this.#byPhase);
  }

  has({ turn }: Position): boolean {
    return this.#turns.has(turn);
  }

  begin({ turn, phase }: Position): void {
    this.#turns.add(turn);
    this.#lastTurn = Math.max(this.#lastTurn, turn);
    this.#byPhase[phase] = (this.#byPhase[phase] ?? 0) + 1;
  }

  /** @param isFinished false if the item stays open for a later run */
  end({ turn, phase }: Position, isFinished: boolean): void {
    this.#turns.delete(turn);
    this.#byPhase[phase]! -= 1;
    if (isFinished) this.finished += 1;
    else {
      this.#firstOpen = Math.min(this.#firstOpen, turn);
      this.#firstOpenPhase = Math.min(this.#firstOpenPhase, phase);
    }
  }

  /** Whether no item of an earlier phase is in progress. */
  isDue({ phase }: Position): boolean {
    return sum(this.#byPhase.slice(0, phase)) === 0;
  }

  /** Whether an item of an earlier phase stays open, so that this one must wait for a later run. */
  isBlocked({ phase }: Position): boolean {
    return phase > this.#firstOpenPhase;
  }

  /** The items that stayed open are read again in this run. */
  readAgain(): void {
    this.#firstOpenPhase = Number.POSITIVE_INFINITY;
  }

  /** The last turn before the items that the next run reads. Later phases must not run before an item that stays open. */
  get after(): number {
    return Math.min(this.#lastTurn, this.#firstOpen - 1);
  }
}

const sum = (counts: readonly number[]) => counts.reduce((all, each) => all + (each ?? 0), 0);
