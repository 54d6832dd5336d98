import { ApplicationFailure, Context } from '@temporalio/activity';
import * as jobs from '../../subgraphs/catalog/jobs/engine.ts';
import '../../subgraphs/catalog/kinds.ts';
import { log } from '../../subgraphs/common/log.ts';
import { type Model } from '../../subgraphs/common/model/client.ts';
import { ProviderFault } from '../../subgraphs/common/model/faults.ts';
import type { Outbound } from '../../subgraphs/common/outbound/client.ts';
import { detached } from '../../subgraphs/common/scope.ts';
import type { Services } from '../../subgraphs/common/services.ts';
import type { SearchEndpoint } from '../../subgraphs/common/web-search.ts';
import type { JobRef } from '../contract.ts';

/** One item of a job. */
export interface ItemRef extends JobRef {
  itemId: string;
  /** Position in the processing order. */
  turn: number;
  /** Items of a later phase wait for those of the earlier ones. */
  phase: number;
}

export type JobActivities = ReturnType<typeof jobActivities>;

/** Services and clients that the activities use. */
export interface ActivityDependencies {
  services: Services;
  model: Model;
  outbound: Outbound;
  searchEndpoint?: SearchEndpoint;
}

const MAX_RETRY_DELAY = 5 * 60_000;

/** Each activity runs in its own scope and is idempotent. */
export function jobActivities({ services, model, outbound, searchEndpoint }: ActivityDependencies) {
  const scope = ({ organizationId }: JobRef) => detached({ organizationId, services });

  return {
    beginJob: (job: JobRef) => jobs.begin(scope(job), job.jobId),

    async openItems(job: JobRef, after: number, limit: number): Promise<ItemRef[]> {
      const { kind, jobId, organizationId } = job;
      const items = await jobs.openItems(scope(job), jobId, after, limit);
      return items.map(({ id, turn, phase }) => ({ kind, jobId, organizationId, itemId: id, turn, phase }));
    },

    async processItem(item: ItemRef): Promise<void> {
      const { signal, stop } = startHeartbeat();
      try {
        const clients = { model, outbound: outbound.ownedBy(item.organizationId), searchEndpoint, signal };
        await jobs.processItem({ ...scope(item), ...clients }, item.itemId);
      } catch (error) {
        throw asFailure(error);
      } finally {
        stop();
      }
    },

    failItem: (item: ItemRef, reason: string) => jobs.failItem(scope(item), item.itemId, reason),

    finishJob: (job: JobRef) => jobs.finish(scope(job), job.jobId),
  };
}

/**
 * Send heartbeats, so that Temporal retries the item of a killed worker within seconds. The signal aborts when the process shuts down
 * or loses the item. It does not abort when the job is stopped, because items in progress are finished.
 */
function startHeartbeat(): { signal: AbortSignal; stop(): void } {
  const context = Context.current();
  const controller = new AbortController();
  const checkCancellation = () => {
    const { cancelRequested, workerShutdown } = context.cancellationDetails ?? {};
    if (context.cancellationSignal.aborted && (workerShutdown || !cancelRequested))
      controller.abort(context.cancellationSignal.reason);
  };
  context.cancellationSignal.addEventListener('abort', checkCancellation);
  const timer = setInterval(() => {
    context.heartbeat();
    checkCancellation();
  }, 4_000);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}

function asFailure(error: unknown): unknown {
  if (error instanceof ProviderFault) {
    // Temporal treats a delay of 0 as `no retry`, but a provider means `immediately`. Cap long delays.
    const nextRetryDelay = error.retryAfterMs && Math.min(error.retryAfterMs, MAX_RETRY_DELAY);
    return ApplicationFailure.create({
      type: 'ProviderFault',
      message: error.message,
      nextRetryDelay: nextRetryDelay || undefined,
    });
  }
  log.error({ err: error }, 'Failed to process an item');
  // Keep internal details in the log: the Temporal UI has a wider audience.
  return ApplicationFailure.create({ type: 'Internal', message: (error as Error).name });
}
