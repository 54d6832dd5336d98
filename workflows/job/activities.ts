import { activityInfo } from '@temporalio/activity';
import * as jobs from '../../subgraphs/catalog/jobs/engine.ts';
import { readResult } from '../../subgraphs/catalog/jobs/engine.ts';
import { STOP_CHANNEL } from '../../subgraphs/catalog/jobs/stop.ts';
import '../../subgraphs/catalog/job-kinds.ts';
import { inBackground, type Model, ProviderFault, QueueTimeout, type SearchEndpoint } from '../../platform/model/index.ts';
import type { JobRef, Notifications } from '../../platform/queues/index.ts';
import { detached } from '../../platform/scope/index.ts';
import type { Services } from '../../platform/subgraph/index.ts';
import { withLogFields } from '../../platform/telemetry/index.ts';
import type { WorkerLoad } from '../activity-attempt.ts';
import { AFTER_OUTAGE, acrossOutages, asFailure, retryDelayOf, startHeartbeat } from '../activity-attempt.ts';

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
  /** The provider rejected the rate of the requests, or let one wait too long. The item is still open. */
  throttled?: Throttle;
  /** The database was away for minutes, or no request could be sent. The item is still open. */
  interrupted?: { waitMs: number };
}

interface Throttle {
  reason: string;
  waitMs?: number;
  /** The process itself sends fewer requests, so the window of the job stays. */
  isPaced?: boolean;
  /** Attempts of the item that failed for other reasons before. */
  failures?: number;
}

/** Items at first at a provider that answers few requests at a time. Some may wait for a retry. */
const FEW = 6;
/** Milliseconds after which an item that got no turn at the provider waits for one again. */
const AFTER_BUSY = 5_000;

export type JobActivities = ReturnType<typeof jobActivities>;

/** Services and clients that the activities use. */
export interface ActivityDependencies {
  services: Services;
  model: Model;
  searchEndpoint?: SearchEndpoint;
  /** The activities that run in this process. */
  load: WorkerLoad;
}

/** Maximum concurrent items of a job of an adaptive kind. Reached only while the provider is slow and does not throttle. */
const MAX_ITEMS = 100;

/** Each activity runs in its own scope and is idempotent. */
export function jobActivities({ services, model, searchEndpoint, load }: ActivityDependencies) {
  const stops = new Stops(services.notifications);
  const scope = ({ organizationId }: JobRef) => detached({ organizationId, services });

  return {
    async beginJob(job: JobRef): Promise<StartedJob> {
      const begun = await jobs.begin(scope(job), job.jobId);
      if (!begun) return { concurrency: 0, open: false };
      const { adaptive, concurrency, tier, open } = begun;
      if (!adaptive || !open) return { concurrency, limit: concurrency, open };
      const usual = Math.min(concurrency, MAX_ITEMS);
      // The workers remember what earlier jobs have learned about the provider. Items also wait for other things.
      const first = Math.min(usual, Math.max(FEW, 2 * model.concurrency(tier)));
      return { concurrency: load.begin(job.organizationId, first), limit: MAX_ITEMS, usual, open };
    },

    async openItems(job: JobRef, after: number, limit: number): Promise<ItemRef[]> {
      const { kind, jobId, organizationId } = job;
      const items = await jobs.openItems(scope(job), jobId, after, limit);
      return items.map(({ id, ...item }) => ({ kind, jobId, organizationId, itemId: id, ...item }));
    },

    async processItem(item: ItemRef): Promise<ItemResult> {
      const { organizationId, kind, jobId, itemId } = item;
      // A cancellation lets items in progress finish, so that the kind decides what a stop does.
      const { signal, abort, stop } = startHeartbeat();
      const endWatch = stops.watch(jobId, abort);
      load.add(organizationId);
      try {
        const clients = { model, searchEndpoint, signal };
        const process = () => inBackground(organizationId, () => jobs.processItem({ ...scope(item), ...clients }, itemId));
        const work = () => withLogFields({ organizationId, kind, jobId, itemId }, () => process().then(() => true));
        if (!(await acrossOutages(services.pool, work, signal))) return { mayGrow: false, interrupted: { waitMs: AFTER_OUTAGE } };
        const crowded = load.isCrowdedBy(organizationId);
        const share = crowded ? load.shareOf(organizationId) : undefined;
        return { mayGrow: model.hasHeadroom() && load.hasRoom, crowded, share };
      } catch (error) {
        // Results, not failures: the workflow adapts to them, and the attempts of Temporal remain for other faults.
        if (signal.reason instanceof JobStopped) return { mayGrow: false };
        if (error instanceof QueueTimeout) return { mayGrow: false, interrupted: { waitMs: AFTER_BUSY } };
        if (error instanceof ProviderFault && (error.isThrottled || error.wasQueued))
          return { mayGrow: false, throttled: throttleOf(error) };
        throw asFailure(error, 'Failed to process an item');
      } finally {
        load.remove(organizationId);
        endWatch();
        stop();
      }
    },

    failItem: (item: ItemRef, reason: string) => jobs.failItem(scope(item), item.itemId, reason),

    finishJob: (job: JobRef) => jobs.finish(scope(job), job.jobId),

    jobResult: (job: JobRef) => readResult(scope(job), job.jobId),
  };
}

const throttleOf = (fault: ProviderFault): Throttle => ({
  reason: fault.message,
  isPaced: fault.wasQueued,
  waitMs: retryDelayOf(fault),
  failures: activityInfo().attempt - 1,
});

/** Why an item is given up whose result nobody wants. */
class JobStopped extends Error {
  override name = 'JobStopped';
}

type Abort = (reason: Error) => void;

/** Ends the running items of stopped jobs at once, with their requests to the model. The cancellation by Temporal takes seconds. */
class Stops {
  readonly #running = new Map<string, Set<Abort>>();

  constructor(notifications: Notifications) {
    notifications.on(STOP_CHANNEL, (jobId) => {
      for (const abort of this.#running.get(jobId) ?? []) abort(new JobStopped());
    });
  }

  /** Calls `abort` if the running items of the job fail, until the returned function is called. */
  watch(jobId: string, abort: Abort): () => void {
    const items = this.#running.get(jobId) ?? new Set();
    this.#running.set(jobId, items.add(abort));
    return () => {
      items.delete(abort);
      if (items.size === 0) this.#running.delete(jobId);
    };
  }
}
