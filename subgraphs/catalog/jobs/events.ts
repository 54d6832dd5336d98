import type { Word } from '../../../schema/words.ts';
import type { Scope } from '../../common/scope.ts';
import { emit } from '../../common/webhooks/emit.ts';

interface JobEvents {
  start?: Word<'WebhookEvent'>;
  /** The key that `start` names the job by; `id` unless said. */
  startKey?: 'jobId';
  completed?: Word<'WebhookEvent'>;
  /** Whether a job that itself broke is told as completed with the status `failed`. */
  completedWhenFailed?: true;
  stopped?: Word<'WebhookEvent'>;
}

/**
 * What webhooks are told of a job, by its kind; kinds that are not here tell nothing. `product_market_analysis.stopped`,
 * `ai_import.completed` and `ai_import.failed` can be subscribed to and are never sent.
 */
const jobEvents: Record<string, JobEvents> = {
  'product-enrichment': {
    start: 'product_enrichment.start',
    completed: 'product_enrichment.completed',
    completedWhenFailed: true,
    stopped: 'product_enrichment.stopped',
  },
  'product-validation': {
    start: 'product_validation.start',
    completed: 'product_validation.completed',
    completedWhenFailed: true,
    stopped: 'product_validation.stopped',
  },
  'product-market-analysis': { start: 'product_market_analysis.start', completed: 'product_market_analysis.completed' },
  'ai-import': { start: 'ai_import.start', startKey: 'jobId', stopped: 'ai_import.stopped' },
};

/** A job began to be worked on. In the transaction that says so, as all of these. */
export async function tellStart(scope: Scope, kind: string, id: string): Promise<void> {
  const { start, startKey = 'id' } = jobEvents[kind] ?? {};
  if (start) await emit(scope, start, { [startKey]: id });
}

/** A job came to its end by itself. */
export async function tellEnd(scope: Scope, kind: string, ended: { id: string; status: string; completedAt: Date }): Promise<void> {
  const { completed, completedWhenFailed } = jobEvents[kind] ?? {};
  const { id, status, completedAt } = ended;
  if (!completed || (status === 'failed' && !completedWhenFailed)) return;
  await emit(scope, completed, { id, status, completedAt: completedAt.toISOString() });
}

/** A job was stopped. */
export async function tellStop(scope: Scope, kind: string, id: string, stoppedAt: Date): Promise<void> {
  const { stopped } = jobEvents[kind] ?? {};
  if (stopped) await emit(scope, stopped, { id, status: 'stopped', stoppedAt: stoppedAt.toISOString() });
}
