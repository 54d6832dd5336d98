import { EventStream } from 'compiled-gateway/event-stream';
import type { Pool } from 'pg';
import { fail } from '../../schema/errors.ts';
import { webhookEvents } from '../../schema/webhook-events.ts';
import { readRows } from '../database/index.ts';
import type { PageRequest } from '../lists/index.ts';
import { type Change, type ChangeLog, followChanges, PAGE_SIZE, withRetry } from '../progress/index.ts';
import { detached, type RequestScope, type Scope } from '../scope/index.ts';
import { type DeliveryFilter, deliveriesPage } from './delivery-log.ts';
import { Attempt, WebhookSubscription } from './entity.ts';
import { policyOf, type WebhookSurface } from './policies.ts';
import { findDelivery, findReplay, type ReplayRange, sendTest, startReplay, stopReplay } from './replay.ts';
import { checkSignatures, type SignedRequest } from './signature/signature-check.ts';
import { findSubscription } from './subscriptions.ts';

/** The operations on deliveries of one surface. Ids of other surfaces and organizations are `NOT_FOUND`. */
export function deliveriesOf(surface: WebhookSurface) {
  const templates = templatesOf(surface);
  const find = (scope: Scope, subscriptionId: string) => findSubscription(scope, surface, subscriptionId);
  return {
    page: async (scope: Scope, subscriptionId: string, filter: DeliveryFilter, request: PageRequest) =>
      deliveriesPage(scope, (await find(scope, subscriptionId)).id, filter, request),
    find: (scope: Scope, id: string) => findDelivery(scope, id, { surface }),
    follow: async (scope: RequestScope, subscriptionId: string, after?: number | null) =>
      followDeliveries(scope, (await find(scope, subscriptionId)).id, after),
    test: async (scope: Scope, subscriptionId: string) => sendTest(scope, await find(scope, subscriptionId)),
    replayRange: async (scope: Scope, subscriptionId: string, range: ReplayRange) =>
      startReplay(scope, await find(scope, subscriptionId), range),
    findReplay: (scope: Scope, id: string) => findReplay(scope, surface, id),
    stopReplay: (scope: Scope, id: string) => stopReplay(scope, surface, id),
    /** Throws `RATE_LIMITED` beyond the rate limit of a key. */
    async checkSignatures({ services, caller }: RequestScope, request: SignedRequest) {
      const { allowed } = await services.rateLimit.count(`signatures of ${caller.userId}`);
      if (!allowed) throw fail('RATE_LIMITED', 'Too many signature checks. Try again in a minute.');
      return checkSignatures(request, templates);
    },
  };
}

/** A sample body of each event, whose keys are in the order of real ones. */
const templatesOf = (surface: WebhookSurface) =>
  Object.entries(webhookEvents[surface]).map(([event, { data: payload }]) =>
    policyOf(surface).envelope({ id: '', event, organizationId: '', subscriptionId: '', aboutId: null, occurredAt: '', payload }),
  );

/** One attempt, with its number among those of the subscription. */
interface DeliveryUpdate extends Change {
  deliveryId: string;
  attempt: Attempt;
  isSnapshot: boolean;
}

const ID_COLUMN = ['id'] as const;

/** The numbered attempts of a subscription. They end when it is deleted. */
const attemptLog: ChangeLog<DeliveryUpdate, DeliveryUpdate> = {
  channel: 'webhook_attempts',
  async read(scope, subscriptionId, after, upTo) {
    const rows = {
      where: { subscriptionId },
      matching: (bind: (value: unknown) => string) =>
        `r.sequence > ${bind(after)}${upTo === undefined ? '' : ` and r.sequence <= ${bind(upTo)}`}`,
      orderBy: { sequence: 'asc' },
    } as const;
    const attempts = await readRows(scope, Attempt, rows, { limit: PAGE_SIZE, offset: 0 });
    return attempts.map((attempt) => ({
      sequence: attempt.sequence!,
      status: 'open',
      deliveryId: attempt.deliveryId,
      attempt,
      isSnapshot: false,
    }));
  },
  merge: (attempts) => attempts,
  isEnded: () => false,
  async hasEnded(scope, id) {
    return (await readRows(scope, WebhookSubscription, { columns: ID_COLUMN, where: { id } })).length === 0;
  },
};

const RENEWAL_MS = 60_000;
const WATCH = `
  update webhooks.subscriptions set watched_until = now() + interval '3 minutes' where id = $1 returning sequence`;

/**
 * Notify about attempts of a subscription for some minutes, and return the number of the latest one. The row lock orders this statement and
 * concurrent attempts, so a caller that reads the log afterwards misses none.
 */
async function watch(pool: Pool, id: string): Promise<number> {
  const { rows } = await pool.query<{ sequence: number }>(WATCH, [id]);
  return rows[0]?.sequence ?? 0;
}

/** Number of the latest attempts in a snapshot. */
const SNAPSHOT_SIZE = 50;

async function* snapshotOf(scope: Scope, id: string, sequence: number): AsyncGenerator<DeliveryUpdate, void, void> {
  const attempts = await withRetry(() => attemptLog.read(scope, id, Math.max(0, sequence - SNAPSHOT_SIZE), sequence));
  for (const attempt of attempts) yield { ...attempt, isSnapshot: true };
}

/**
 * Stream the attempts of a subscription after the given number, in order, until it is deleted. The caller has found the subscription in the
 * scope. A subscriber that cannot resume first receives the latest attempts.
 */
async function followDeliveries(scope: RequestScope, id: string, after?: number | null): Promise<EventStream<DeliveryUpdate>> {
  const { pool } = scope.services;
  const sequence = await watch(pool, id);
  const snapshot = () => snapshotOf(detached(scope), id, sequence);
  const updates = await followChanges(attemptLog, scope, { id, sequence, after, snapshot });
  const renewal = setInterval(() => void watch(pool, id).catch(() => {}), RENEWAL_MS);
  const stream = new EventStream(
    async () => (await updates.next()).value,
    () => {
      clearInterval(renewal);
      return updates.return?.();
    },
  );
  if (scope.signal?.aborted) stream.end();
  else scope.signal?.addEventListener('abort', () => stream.end(), { once: true });
  return stream;
}
