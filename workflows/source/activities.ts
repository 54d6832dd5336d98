import { ApplicationFailure, activityInfo, CancelledFailure } from '@temporalio/activity';
import { isDataError, isUnavailable, storageRefusal } from '../../platform/database/index.ts';
import { inBackground, type Model, ProviderFault, ProviderRefusal, QueueTimeout } from '../../platform/model/index.ts';
import type { SourceRef } from '../../platform/queues/index.ts';
import { detached } from '../../platform/scope/index.ts';
import type { Services } from '../../platform/subgraph/index.ts';
import { crawlPage } from '../../subgraphs/agent/ingestion/crawl/crawl-page.ts';
import { discoverPages } from '../../subgraphs/agent/ingestion/crawl/discovery.ts';
import { chunkSource, embedChunks } from '../../subgraphs/agent/ingestion/ingestion-steps.ts';
import { publishChunks } from '../../subgraphs/agent/ingestion/publish.ts';
import {
  beginSource,
  type CrawlLimits,
  failSource,
  IngestionFailure,
  type IngestionScope,
  type NextStep,
  type StepName,
} from '../../subgraphs/agent/ingestion/source-state.ts';
import { AFTER_OUTAGE, acrossOutages, asFailure, startHeartbeat } from '../activity-attempt.ts';

export type SourceActivities = ReturnType<typeof sourceActivities>;

export interface SourceDependencies {
  services: Services;
  model: Model;
  crawl: CrawlLimits;
  /** Sources of one organization that are indexed at the same time. */
  sourcesPerOrganization: number;
}

/** Each activity runs in its own scope and is idempotent. It returns the next step. */
export function sourceActivities({ services, model, crawl, sourcesPerOrganization }: SourceDependencies) {
  const run = async (
    { sourceId, organizationId }: SourceRef,
    step: (scope: IngestionScope, sourceId: string) => Promise<NextStep>,
    again?: StepName,
  ): Promise<NextStep> => {
    const { signal, stop } = startHeartbeat({ stopsOnCancel: true });
    const outbound = services.outbound.ownedBy(organizationId);
    const clients = { model, outbound, crawl, perOrganization: sourcesPerOrganization, signal };
    const attempt = () =>
      inBackground(organizationId, () => step({ ...detached({ organizationId, services }), ...clients }, sourceId));
    try {
      const next = again ? await acrossOutages(services.pool, attempt, signal) : await attempt();
      // The workflow repeats the step, which costs no attempt.
      return next ?? { step: again!, waitMs: AFTER_OUTAGE };
    } catch (error) {
      if (error instanceof QueueTimeout && again) return { step: again, waitMs: 0 };
      // Temporal recognizes its own cancellation by its type.
      if (signal.aborted && signal.reason instanceof CancelledFailure) throw signal.reason;
      throw toFailure(error, again !== undefined);
    } finally {
      stop();
    }
  };

  return {
    beginSource: (source: SourceRef) => run(source, beginSource),
    discoverPages: (source: SourceRef) => run(source, discoverPages, 'discoverPages'),
    crawlPage: (source: SourceRef) => run(source, crawlPage, 'crawlPage'),
    chunkSource: (source: SourceRef) => run(source, chunkSource, 'chunkSource'),
    embedChunks: (source: SourceRef) => run(source, embedChunks, 'embedChunks'),
    publishChunks: (source: SourceRef) => run(source, publishChunks, 'publishChunks'),
    async failSource(source: SourceRef, message: string, hasBegun: boolean): Promise<void> {
      await run(source, async (scope, sourceId) => {
        await failSource(scope, sourceId, message, hasBegun);
        return { step: 'done' };
      });
    },
  };
}

/** Attempts of a step while the database is available. More would repeat the same error. */
const [MAX_ATTEMPTS, MAX_UNAVAILABLE] = [10, 100];
const UNSTORABLE = 'The content cannot be stored. Please remove unusual characters, or split the source.';

/** @param isPatient whether the step has waited until the database was available */
function toFailure(error: unknown, isPatient: boolean): unknown {
  if (error instanceof IngestionFailure || error instanceof ProviderRefusal)
    return ApplicationFailure.nonRetryable(error.message, 'IngestionFailure');
  const refusal = storageRefusal(error);
  if (refusal) return ApplicationFailure.nonRetryable(refusal.message, 'IngestionFailure');
  const failure = asFailure(error, 'Failed to index a source');
  const { activityType, attempt } = activityInfo();
  // This step records the end of the source, so nothing else could end it.
  if (activityType === 'failSource') return failure;
  if (isDataError(error)) return ApplicationFailure.nonRetryable(UNSTORABLE, 'IngestionFailure');
  if (error instanceof ProviderFault || (isUnavailable(error) && !isPatient)) return failure;
  // After the wait the step itself is at fault, for example with a statement that takes too long.
  const limit = isUnavailable(error) ? MAX_UNAVAILABLE : MAX_ATTEMPTS;
  if (attempt < limit) return failure;
  return ApplicationFailure.nonRetryable((error as Error).name, 'Internal');
}
