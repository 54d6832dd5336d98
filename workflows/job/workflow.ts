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
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { type JobRun, progressQuery, searchAttributes, stopSignal } from '../contract.ts';
import type { ItemRef, JobActivities } from './activities.ts';

const { beginJob, openItems, finishJob, failItem } = proxyActivities<JobActivities>({
  startToCloseTimeout: '1 minute',
  // The database may be away for longer than any number of attempts.
  retry: { maximumInterval: '30 seconds' },
});
const { processItem } = proxyActivities<JobActivities>({
  // Longer than the answers that one item may have to wait for, each of which has its own time.
  startToCloseTimeout: '45 minutes',
  // A stop leaves an attempt to come to its end.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 3, maximumInterval: '2 minutes', maximumAttempts: 5 },
});

const PAGE = 100;
/** A history warns at 10,240 events; an item takes three to six. */
const RUN = 1_000;

const STOPPED = 'Job was stopped by user';

/** Work through the items of one job, whatever its kind, `concurrency` at a time. Items in hand when `stop` arrives are finished first. */
export async function runJob(run: JobRun): Promise<void> {
  const { kind, jobId, organizationId, after = -1, finished: before = 0 } = run;
  const job = { kind, jobId, organizationId };
  let stopping = false;
  const inHand: number[] = [];
  let finished = before;
  let handedOut = after;
  const attempts = new CancellationScope();
  setHandler(stopSignal, () => {
    stopping = true;
    // No attempt is made after this one; items that wait for theirs end. Earlier histories know nothing of it.
    if (patched('stop-ends-attempts')) attempts.cancel();
  });
  setHandler(progressQuery, () => ({ finished, inHand: sum(inHand), stopping }));
  upsertSearchAttributes([{ key: searchAttributes.status, value: 'processing' }]);

  const { concurrency, open } = await beginJob(job);
  const items = open ? readAhead(job, after) : undefined;
  const lane = async () => {
    while (!stopping && finished + sum(inHand) - before < RUN) {
      const item = await items?.next();
      if (!item) return;
      const { phase, turn } = item;
      handedOut = Math.max(handedOut, turn);
      // Counted before anything is waited for: a later phase must see every item of an earlier one.
      inHand[phase] = (inHand[phase] ?? 0) + 1;
      await condition(() => stopping || sum(inHand.slice(0, phase)) === 0);
      const mayStart = !stopping;
      if (mayStart) await attempts.run(() => processItem(item)).catch((error: unknown) => failItem(item, reasonOf(error)));
      inHand[phase] -= 1;
      finished += Number(mayStart);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));

  if (!stopping && !(items?.exhausted ?? true)) await continueAsNew<typeof runJob>({ ...job, after: handedOut, finished });
  const status = await finishJob(job);
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  // It was paused, and continued before it came to rest.
  if (status === 'processing') await continueAsNew<typeof runJob>(job);
}

const sum = (counts: number[]) => counts.reduce((all, each) => all + (each ?? 0), 0);

/** Hands out the open items of a job in order, a page read at a time; lanes that come meanwhile wait for the page. */
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

/** What to say of an item that failed for good: the cause, not the machinery around it. */
function reasonOf(error: unknown): string {
  if (isCancellation(error)) return STOPPED;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === 'ProviderFault'
    ? `The model provider could not answer: ${cause.message}`
    : 'The item could not be processed. Please try again.';
}
