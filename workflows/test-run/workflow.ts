import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { TestRunRef } from '../../platform/queues/index.ts';
import { openLanes } from '../job/concurrency-window.ts';
import type { RepeatResult, ResultRef, TestRunActivities } from './activities.ts';

const { beginTests, openTests, failTest, finishTests } = proxyActivities<TestRunActivities>({
  startToCloseTimeout: '1 minute',
  // The database may be down for hours.
  retry: { maximumInterval: '30 seconds' },
});
const { runTest } = proxyActivities<TestRunActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '15 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2 seconds', backoffCoefficient: 3, maximumInterval: '2 minutes', maximumAttempts: 5 },
});

/** Repeats of a run that are played at the same time while the worker has room, and repeats that one read returns. */
const [WIDTH, PAGE] = [3, 200];
/** Events per run of the workflow. Temporal warns at 10,240 events; a page adds about 2,000. */
const MAX_EVENTS = 7_000;

/**
 * Run the tests of a set: one activity for each case, repeat and content. PostgreSQL holds the state, so a restarted workflow continues with
 * the open repeats. A stopped run is canceled. While the worker is full, the runs of an organization shrink to its share.
 */
export async function runTests(run: TestRunRef): Promise<void> {
  try {
    let width = await beginTests(run, WIDTH);
    if (width === 0) return;
    for (let after = 0; ; ) {
      const page = await openTests(run, after, PAGE);
      const last = page.at(-1);
      if (!last) break;
      after = last.turn;
      const rest = page.values();
      const lanes = openLanes(
        () => width,
        async () => {
          const next = rest.next();
          if (next.done) return false;
          const { mayGrow, crowded } = await play(next.value);
          if (crowded) width = Math.max(1, width - 1);
          else if (mayGrow) width = Math.min(WIDTH, width + 1);
          return true;
        },
      );
      await lanes.ended;
      if (workflowInfo().historyLength > MAX_EVENTS) break;
    }
    if (await finishTests(run)) return;
  } catch (error) {
    if (isCancellation(error)) return;
    throw error;
  }
  await continueAsNew<typeof runTests>(run);
}

async function play(result: ResultRef): Promise<RepeatResult> {
  // The summary names the repeat in the Temporal UI.
  return runTest.executeWithOptions({ summary: result.name }, [result]).catch(async (error: unknown) => {
    if (isCancellation(error)) throw error;
    await failTest(result, reasonOf(error));
    return { mayGrow: false, crowded: false };
  });
}

/** The message of a repeat whose retries are exhausted: the cause, without the wrapper errors of Temporal. */
function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && cause.type === 'ProviderFault')
    return `The model provider could not answer: ${cause.message}`;
  if (cause instanceof ApplicationFailure && cause.type === 'ProviderRefusal') return cause.message;
  return 'The reply could not be written. Please try again.';
}
