import { setTimeout as sleep } from 'node:timers/promises';
import { EventStream } from 'compiled-gateway/event-stream';
import { query, readRows, sql } from '../../../platform/database/index.ts';
import { withRetry } from '../../../platform/progress/index.ts';
import { detached, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { Approval } from '../approvals/entity.ts';
import type { HandoffQueue } from './entity.ts';
import { Handoff } from './entity.ts';
import { QUEUE_CHANNEL } from './handoff-state.ts';

/** Milliseconds between two reads of the open handoffs of an organization. Changes in between are one update. */
const INTERVAL = 500;
const MAX_HANDOFFS = 100;

/** The open handoffs of one organization, read once for all of its subscribers in this process. */
class Queue {
  current: HandoffQueue | undefined;
  failure: unknown;
  readonly #wakes = new Set<() => void>();
  #isStale = false;
  #isReading = false;

  constructor(
    private readonly scope: Scope,
    private readonly onEmpty: () => void,
  ) {}

  join(wake: () => void): () => void {
    this.#wakes.add(wake);
    return () => {
      this.#wakes.delete(wake);
      if (this.#wakes.size === 0) this.onEmpty();
    };
  }

  /** Signals that the handoffs may have changed. */
  notify(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isStale && this.#wakes.size > 0) {
        this.#isStale = false;
        this.current = await withRetry(() => readQueue(this.scope));
        for (const wake of this.#wakes) wake();
        await sleep(INTERVAL, undefined, { ref: false });
      }
    } catch (error) {
      this.failure = error;
      this.onEmpty();
      for (const wake of this.#wakes) wake();
    } finally {
      this.#isReading = false;
    }
  }
}

async function readQueue(scope: Scope): Promise<HandoffQueue> {
  const counts = await query(
    scope.em,
    sql<{ status: string; count: number }>`select status, count(*)::int as count from agent.handoffs
                                            where organization_id = ${scope.organizationId} and status in ('waiting', 'active') group by 1`,
  );
  const countOf = (status: string) => counts.find((each) => each.status === status)?.count ?? 0;
  const ordering = `r.status = 'waiting' desc, r.created_at, r.id`;
  const matching = () => `r.status in ('waiting', 'active')`;
  const handoffs = await readRows(scope, Handoff, { matching, ordering }, { limit: MAX_HANDOFFS, offset: 0 });
  const waiting = { where: { status: 'pending', party: 'operator' }, orderBy: { createdAt: 'asc', id: 'asc' } } as const;
  const approvals = await readRows(scope, Approval, waiting, { limit: MAX_HANDOFFS, offset: 0 });
  return { waiting: countOf('waiting'), active: countOf('active'), handoffs, approvals };
}

const queues = new WeakMap<Services, Map<string, Queue>>();

function queuesOf(services: Services): Map<string, Queue> {
  const known = queues.get(services);
  if (known) return known;
  const all = new Map<string, Queue>();
  queues.set(services, all);
  services.notifications.on(QUEUE_CHANNEL, (organizationId) => {
    if (organizationId) return all.get(organizationId)?.notify();
    // Notifications of any organization may have been lost.
    for (const queue of all.values()) queue.notify();
  });
  return all;
}

function queueOf(scope: RequestScope): Queue {
  const all = queuesOf(scope.services);
  const { organizationId } = scope;
  const known = all.get(organizationId);
  if (known) return known;
  const queue: Queue = new Queue(detached(scope), () => all.get(organizationId) === queue && all.delete(organizationId));
  all.set(organizationId, queue);
  return queue;
}

/** Streams the open handoffs of the organization: now, and after each change. A slow subscriber skips to the newest state. */
export function followQueue(scope: RequestScope): EventStream<HandoffQueue> {
  const queue = queueOf(scope);
  let seen: HandoffQueue | undefined;
  let isEnded = false;
  let wake: (() => void) | undefined;
  const leave = queue.join(() => wake?.());
  if (!queue.current) queue.notify();
  const stream = new EventStream<HandoffQueue>(
    async () => {
      while (!queue.failure && !isEnded && (!queue.current || queue.current === seen))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (queue.failure) throw queue.failure;
      seen = queue.current;
      return isEnded ? undefined : seen;
    },
    () => {
      isEnded = true;
      leave();
      wake?.();
    },
  );
  scope.signal?.addEventListener('abort', () => stream.end(), { once: true });
  return stream;
}
