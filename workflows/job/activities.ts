import * as jobs from '../../subgraphs/catalog/jobs/engine.ts';
import { readResult } from '../../subgraphs/catalog/jobs/result.ts';
import '../../subgraphs/catalog/kinds.ts';
import type { Model } from '../../subgraphs/common/model/client.ts';
import { ProviderFault } from '../../subgraphs/common/model/faults.ts';
import type { SearchEndpoint } from '../../subgraphs/common/model/web-search.ts';
import type { Outbound } from '../../subgraphs/common/outbound/client.ts';
import type { JobRef } from '../../subgraphs/common/queues/outbox.ts';
import { detached } from '../../subgraphs/common/scope.ts';
import type { Services } from '../../subgraphs/common/services.ts';
import { withLogFields } from '../../subgraphs/common/telemetry/log.ts';
import { asFailure, retryDelayOf } from '../failure.ts';
import { startHeartbeat } from '../heartbeat.ts';
import { AFTER_OUTAGE, acrossOutages } from '../outage.ts';
import { Running } from './running.ts';

/** One item of a job. */
export interface ItemRef extends JobRef {
  itemId: string;
  /** Position in the processing order. */
  turn: number;
  /** Items of a later phase wait for those of the earlier ones. */
  phase: number;
  /** Name of the item in the Temporal UI. */
  name: string;
}

/** A job whose items can be processed. */
export interface StartedJob {
  /** Items that run at the same time at first. */
  concurrency: number;
  /** Maximum number of items that run at the same time. */
  limit?: number;
  /** Concurrency that the job reaches even while the provider is fast, once the workers have room. */
  usual?: number;
  /** Whether items remain to be processed. */
  open: boolean;
}

/** The effect of one attempt of an item on the concurrency of its job. */
export interface ItemResult {
  /** Whether the provider accepts more requests, and the worker more items. */
  mayGrow: boolean;
  /** The worker has hardly any room, and the organization of the item runs its share or more. */
  crowded?: boolean;
  /** The share of its concurrency that the job keeps while the worker is crowded. */
  share?: number;
  /** The provider rejected the rate of the requests. The item is still open. */
  throttled?: { reason: string; waitMs?: number };
  /** The database was away for minutes. The item is still open. */
  interrupted?: { waitMs: number };
}

export type JobActivities = ReturnType<typeof jobActivities>;

/** Services and clients that the activities use. */
export interface ActivityDependencies {
  services: Services;
  model: Model;
  outbound: Outbound;
  searchEndpoint?: SearchEndpoint;
  /** Maximum concurrent items of a job of an adaptive kind. */
  jobConcurrency: number;
  /** Maximum concurrent activities of this process. */
  slots: number;
}

/** Each activity runs in its own scope and is idempotent. */
export function jobActivities({ services, model, outbound, searchEndpoint, jobConcurrency, slots }: ActivityDependencies) {
  const running = new Running(slots);
  const scope = ({ organizationId }: JobRef) => detached({ organizationId, services });

  return {
    async beginJob(job: JobRef): Promise<StartedJob> {
      const { adaptive, concurrency, open } = await jobs.begin(scope(job), job.jobId);
      if (!adaptive || !open) return { concurrency, limit: concurrency, open };
      const usual = Math.min(concurrency, jobConcurrency);
      return { concurrency: running.begin(job.organizationId, usual), limit: jobConcurrency, usual, open };
    },

    async openItems(job: JobRef, after: number, limit: number): Promise<ItemRef[]> {
      const { kind, jobId, organizationId } = job;
      const items = await jobs.openItems(scope(job), jobId, after, limit);
      return items.map(({ id, ...item }) => ({ kind, jobId, organizationId, itemId: id, ...item }));
    },

    /** Undefined only from workers of earlier versions. */
    async processItem(item: ItemRef): Promise<ItemResult | undefined> {
      const { organizationId, kind, jobId, itemId } = item;
      // A stop of the job lets items in progress finish.
      const { signal, stop } = startHeartbeat();
      running.add(organizationId);
      try {
        const clients = { model, outbound: outbound.ownedBy(organizationId), searchEndpoint, signal };
        const process = () => jobs.processItem({ ...scope(item), ...clients }, itemId);
        const work = () => withLogFields({ organizationId, kind, jobId, itemId }, () => process().then(() => true));
        if (!(await acrossOutages(services.pool, work, signal))) return { mayGrow: false, interrupted: { waitMs: AFTER_OUTAGE } };
        const crowded = running.isCrowdedBy(organizationId);
        const share = crowded ? running.shareOf(organizationId) : undefined;
        return { mayGrow: model.hasHeadroom() && running.hasRoom, crowded, share };
      } catch (error) {
        // A result, not a failure: the workflow adapts to it, and the attempts of Temporal remain for other faults.
        if (error instanceof ProviderFault && error.isThrottled) return { mayGrow: false, throttled: throttleOf(error) };
        throw asFailure(error, 'Failed to process an item');
      } finally {
        running.remove(organizationId);
        stop();
      }
    },

    failItem: (item: ItemRef, reason: string) => jobs.failItem(scope(item), item.itemId, reason),

    finishJob: (job: JobRef) => jobs.finish(scope(job), job.jobId),

    jobResult: (job: JobRef) => readResult(scope(job), job.jobId),
  };
}

const throttleOf = (fault: ProviderFault) => ({ reason: fault.message, waitMs: retryDelayOf(fault) });
