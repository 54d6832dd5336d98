import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { inBackground, type Model, ProviderRefusal, QueueTimeout } from '../../platform/model/index.ts';
import type { TestRunRef } from '../../platform/queues/index.ts';
import { detached } from '../../platform/scope/index.ts';
import type { Services } from '../../platform/subgraph/index.ts';
import { withLogFields } from '../../platform/telemetry/index.ts';
import * as engine from '../../subgraphs/agent/test-runs/repeats.ts';
import type { WorkerLoad } from '../activity-attempt.ts';
import { acrossOutages, asFailure, startHeartbeat } from '../activity-attempt.ts';

/** One repeat of a case against one content. */
export interface ResultRef extends TestRunRef {
  resultId: string;
  /** Position in the order of the run. */
  turn: number;
  /** Name of the repeat in the Temporal UI. */
  name: string;
}

/** The effect of one repeat on the number of repeats that its run plays at the same time. */
export interface RepeatResult {
  /** Whether the worker has room for more. */
  mayGrow: boolean;
  /** The worker has hardly any room, and the organization of the run uses its share or more. */
  crowded: boolean;
}

export type TestRunActivities = ReturnType<typeof testRunActivities>;

/** Each activity runs in its own scope and is idempotent. */
export function testRunActivities({ services, model, load }: { services: Services; model: Model; load: WorkerLoad }) {
  const scope = ({ organizationId }: TestRunRef) => detached({ organizationId, services });
  return {
    /** The repeats that the run plays at the same time at first, at most `width`. Zero if it has ended. */
    beginTests: async (run: TestRunRef, width: number): Promise<number> =>
      (await engine.beginRun(scope(run), run.runId)) ? load.begin(run.organizationId, width) : 0,

    async openTests(run: TestRunRef, after: number, limit: number): Promise<ResultRef[]> {
      const { runId, organizationId } = run;
      const open = await engine.openResults(scope(run), runId, after, limit);
      return open.map((each) => ({ runId, organizationId, ...each }));
    },

    async runTest(result: ResultRef): Promise<RepeatResult> {
      const { organizationId, runId, resultId } = result;
      const { signal, stop } = startHeartbeat({ stopsOnCancel: true });
      const attempt = () => engine.runResult({ ...scope(result), model, signal }, resultId);
      const work = () => inBackground(organizationId, () => withLogFields({ organizationId, runId, resultId }, attempt));
      load.add(organizationId);
      try {
        for (;;) {
          try {
            await acrossOutages(services.pool, work, signal);
            return { mayGrow: load.hasRoom, crowded: load.isCrowdedBy(organizationId) };
          } catch (error) {
            // Other work was before it at the provider, which costs no attempt.
            if (!(error instanceof QueueTimeout) || signal.aborted) throw error;
          }
        }
      } catch (error) {
        // Temporal recognizes its own cancellation by its type.
        if (signal.aborted && signal.reason instanceof CancelledFailure) throw signal.reason;
        if (error instanceof ProviderRefusal) throw ApplicationFailure.nonRetryable(error.message, 'ProviderRefusal');
        throw asFailure(error, 'Failed to run a test');
      } finally {
        load.remove(organizationId);
        stop();
      }
    },

    failTest: (result: ResultRef, reason: string): Promise<void> => engine.failResult(scope(result), result.resultId, reason),

    finishTests: (run: TestRunRef): Promise<boolean> => engine.finishRun(scope(run), run.runId),
  };
}
