import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { inBackground, type Model, ProviderRefusal, QueueTimeout } from '../../platform/model/index.ts';
import type { TestRunRef } from '../../platform/queues/index.ts';
import { detached } from '../../platform/scope/index.ts';
import type { Services } from '../../platform/subgraph/index.ts';
import { withLogFields } from '../../platform/telemetry/index.ts';
import * as engine from '../../subgraphs/agent/test-runs/repeats.ts';
import { acrossOutages, asFailure, startHeartbeat } from '../activity-attempt.ts';

/** One repeat of a case against one content. */
export interface ResultRef extends TestRunRef {
  resultId: string;
  /** Position in the order of the run. */
  turn: number;
  /** Name of the repeat in the Temporal UI. */
  name: string;
}

export type TestRunActivities = ReturnType<typeof testRunActivities>;

/** Each activity runs in its own scope and is idempotent. */
export function testRunActivities({ services, model }: { services: Services; model: Model }) {
  const scope = ({ organizationId }: TestRunRef) => detached({ organizationId, services });
  return {
    beginTests: (run: TestRunRef): Promise<boolean> => engine.beginRun(scope(run), run.runId),

    async openTests(run: TestRunRef, after: number, limit: number): Promise<ResultRef[]> {
      const { runId, organizationId } = run;
      const open = await engine.openResults(scope(run), runId, after, limit);
      return open.map((each) => ({ runId, organizationId, ...each }));
    },

    async runTest(result: ResultRef): Promise<void> {
      const { organizationId, runId, resultId } = result;
      const { signal, stop } = startHeartbeat({ stopsOnCancel: true });
      const attempt = () => engine.runResult({ ...scope(result), model, signal }, resultId);
      const work = () => inBackground(organizationId, () => withLogFields({ organizationId, runId, resultId }, attempt));
      try {
        for (;;) {
          try {
            await acrossOutages(services.pool, work, signal);
            return;
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
        stop();
      }
    },

    failTest: (result: ResultRef, reason: string): Promise<void> => engine.failResult(scope(result), result.resultId, reason),

    finishTests: (run: TestRunRef): Promise<boolean> => engine.finishRun(scope(run), run.runId),
  };
}
