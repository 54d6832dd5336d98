import type { EntityManager } from '@mikro-orm/postgresql';
import { ApplicationFailure, Context } from '@temporalio/activity';
import * as jobs from '../../subgraphs/catalog/jobs/engine.ts';
import '../../subgraphs/catalog/kinds.ts';
import { log } from '../../subgraphs/common/log.ts';
import { type Model } from '../../subgraphs/common/model/client.ts';
import { ProviderFault } from '../../subgraphs/common/model/faults.ts';
import type { Outbound } from '../../subgraphs/common/outbound/client.ts';
import type { Scope } from '../../subgraphs/common/scope.ts';
import type { Services } from '../../subgraphs/common/services.ts';
import type { SearchEndpoint } from '../../subgraphs/common/web-search.ts';
import type { JobRef } from '../contract.ts';

/** One item of a job. */
export interface ItemRef extends JobRef {
  itemId: string;
  /** The place in the order of work. */
  turn: number;
  /** Items of a later phase wait for those of the earlier ones. */
  phase: number;
}

export type JobActivities = ReturnType<typeof jobActivities>;

/** What the activities need of their process. */
export interface Outside {
  services: Services;
  model: Model;
  outbound: Outbound;
  searchEndpoint?: SearchEndpoint;
}

const LONGEST_WAIT = 5 * 60_000;

/** Each activity is one unit of work in its own scope, and safe to run twice. */
export function jobActivities({ services, model, outbound, searchEndpoint }: Outside) {
  const scope = ({ organizationId }: JobRef): Scope => {
    const em = services.orm.em.fork() as EntityManager;
    em.setFilterParams('organization', { id: organizationId });
    return { em, organizationId, services };
  };

  return {
    beginJob: (job: JobRef) => jobs.begin(scope(job), job.jobId),

    async openItems(job: JobRef, after: number, limit: number): Promise<ItemRef[]> {
      const { kind, jobId, organizationId } = job;
      const items = await jobs.openItems(scope(job), jobId, after, limit);
      return items.map(({ id, turn, phase }) => ({ kind, jobId, organizationId, itemId: id, turn, phase }));
    },

    async processItem(item: ItemRef): Promise<void> {
      const { signal, done } = takeInHand();
      try {
        const reach = { model, outbound: outbound.ownedBy(item.organizationId), searchEndpoint, signal };
        await jobs.processItem({ ...scope(item), ...reach }, item.itemId);
      } catch (error) {
        throw asFailure(error);
      } finally {
        done();
      }
    },

    failItem: (item: ItemRef, reason: string) => jobs.failItem(scope(item), item.itemId, reason),

    finishJob: (job: JobRef) => jobs.finish(scope(job), job.jobId),
  };
}

/**
 * Tell Temporal that this process lives, so that an item of a killed worker is taken up again within seconds. The signal is aborted
 * when the process ends or has lost the item, and not when the job is stopped: what is in hand then is finished.
 */
function takeInHand(): { signal: AbortSignal; done(): void } {
  const context = Context.current();
  const cut = new AbortController();
  const look = () => {
    const { cancelRequested, workerShutdown } = context.cancellationDetails ?? {};
    if (context.cancellationSignal.aborted && (workerShutdown || !cancelRequested)) cut.abort(context.cancellationSignal.reason);
  };
  context.cancellationSignal.addEventListener('abort', look);
  const timer = setInterval(() => {
    context.heartbeat();
    look();
  }, 4_000);
  return { signal: cut.signal, done: () => clearInterval(timer) };
}

function asFailure(error: unknown): unknown {
  if (error instanceof ProviderFault) {
    // Temporal reads a delay of zero as no retry at all; a provider that says so means at once. One that says a day is not waited for.
    const nextRetryDelay = error.retryAfterMs && Math.min(error.retryAfterMs, LONGEST_WAIT);
    return ApplicationFailure.create({
      type: 'ProviderFault',
      message: error.message,
      nextRetryDelay: nextRetryDelay || undefined,
    });
  }
  log.error({ err: error }, 'an item failed');
  // Internal text stays in the log: the Temporal UI is read by more people.
  return ApplicationFailure.create({ type: 'Internal', message: (error as Error).name });
}
