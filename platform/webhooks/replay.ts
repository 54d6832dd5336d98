import { v7 as uuid } from 'uuid';
import type { EnumValue } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';
import { type WebhookEventType, webhookEvents } from '../../schema/webhook-events.ts';
import { findById, lockName, query, sql } from '../database/index.ts';
import { type Scope, transaction } from '../scope/index.ts';
import { announce, insertEvent } from './emit.ts';
import { Delivery, DeliveryReplay, WebhookSubscription } from './entity.ts';
import type { WebhookSurface } from './policies.ts';
import { findSubscription, requireEnabled } from './subscriptions.ts';

interface Selection {
  surface: WebhookSurface;
  /** Deliveries of other subscriptions are treated as not found. */
  subscriptionId?: string;
}

/** A delivery of the surface. Throws `NOT_FOUND`. */
export async function findDelivery(scope: Scope, id: string, selection: Selection): Promise<Delivery> {
  return (await findWithSubscription(scope, id, selection)).delivery;
}

async function findWithSubscription(scope: Scope, id: string, { surface, subscriptionId }: Selection) {
  const delivery = await findById(scope.em, Delivery, id, 'Delivery', { where: subscriptionId ? { subscriptionId } : {} });
  return { delivery, subscription: await findSubscription(scope, surface, delivery.subscriptionId) };
}

/**
 * Send a delivery again, with the same id and body. Throws `NOT_FOUND`, and `UNPROCESSABLE` if its subscription is disabled or an attempt
 * is already scheduled.
 */
export async function replayDelivery(scope: Scope, id: string, selection: Selection): Promise<Delivery> {
  requireEnabled((await findWithSubscription(scope, id, selection)).subscription);
  return transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const scheduled = await query(
      em,
      sql`update webhooks.deliveries set status = 'pending', next_attempt_at = now(), losses = 0
           where id = ${id} and organization_id = ${organizationId} and next_attempt_at is null returning id`,
    );
    if (scheduled.length === 0) throw fail('UNPROCESSABLE', 'The delivery is still to be sent.');
    announce(inner);
    // Read before the commit, because a sender may change the row right after it.
    return em.findOneOrFail(Delivery, id, { refresh: true });
  });
}

type Status = EnumValue<'WebhookDeliveryStatus'>;

/** Selects the deliveries of a replay by their creation time and status. */
export interface ReplayRange {
  from?: Date | null;
  to?: Date | null;
  /** By default all deliveries that have ended. */
  status?: Status | null;
  /** Only deliveries since failures disabled the subscription that did not arrive. */
  sinceDisabled?: boolean | null;
}

/** Limits the time to count the deliveries of a replay, and the work of one request. */
const MAX_REPLAYED = 100_000;

const EPOCH = new Date(0);

/**
 * Start to send the deliveries of a period again, oldest first, with their ids and bodies. They are scheduled in batches, so that new
 * events need not wait for all of them. Throws `UNPROCESSABLE` for a disabled subscription or too many deliveries, and `CONFLICT` while
 * another replay of the subscription is running.
 */
export function startReplay(scope: Scope, subscription: WebhookSubscription, range: ReplayRange): Promise<DeliveryReplay> {
  requireEnabled(subscription);
  const { id: subscriptionId } = subscription;
  const { from, statuses } = selectionOf(subscription, range);
  if (range.to && range.to <= from) throw fail('INVALID_INPUT', 'to must be later than from');
  return transaction(scope, async ({ em, organizationId }) => {
    await lockName(em, `replays of ${subscriptionId}`);
    if ((await em.count(DeliveryReplay, { subscriptionId, endedAt: null })) > 0)
      throw fail('CONFLICT', 'Another replay of this subscription is running.');
    const [counted] = await query(
      em,
      sql<{ to: Date; total: number }>`
        select max(least(${range.to ?? null}::timestamptz, now())) as to, count(id)::int as total
          from (values (1)) as one left join lateral (
            select id from webhooks.deliveries
             where subscription_id = ${subscriptionId} and status = any(${statuses}::text[])
               and created_at >= ${from} and created_at < least(${range.to ?? null}::timestamptz, now())
             limit ${MAX_REPLAYED + 1}) matching on true`,
    );
    const { to, total } = counted!;
    if (total > MAX_REPLAYED)
      throw fail(
        'UNPROCESSABLE',
        `A replay can contain up to ${MAX_REPLAYED.toLocaleString('en')} deliveries. Choose a shorter period.`,
      );
    const id = uuid();
    await query(
      em,
      sql`insert into webhooks.replays (id, organization_id, subscription_id, statuses, "from", "to", total)
          values (${id}, ${organizationId}, ${subscriptionId}, ${statuses}::text[], ${from}, ${to}, ${total})`,
    );
    await query(em, sql`notify webhook_replays`);
    // Read before the commit, because a deliverer may advance the replay right after it.
    return em.findOneOrFail(DeliveryReplay, id);
  });
}

function selectionOf({ disabledAt }: WebhookSubscription, { from, status, sinceDisabled }: ReplayRange) {
  if (status === 'pending')
    throw fail('INVALID_INPUT', 'status must not be pending, because pending deliveries are still to be sent');
  if (!sinceDisabled) return { from: from ?? EPOCH, statuses: status ? [status] : ['delivered', 'failed', 'missed'] };
  if (!disabledAt) throw fail('UNPROCESSABLE', 'Failures have not disabled the subscription.');
  return { from: from && from > disabledAt ? from : disabledAt, statuses: status ? [status] : ['failed', 'missed'] };
}

/** A replay of a subscription of the surface. Throws `NOT_FOUND`. */
export async function findReplay(scope: Scope, surface: WebhookSurface, id: string): Promise<DeliveryReplay> {
  const replay = await findById(scope.em, DeliveryReplay, id, 'Replay');
  await findSubscription(scope, surface, replay.subscriptionId);
  return replay;
}

/** Stop a running replay. Deliveries that it has scheduled are still sent. Throws `NOT_FOUND`. */
export async function stopReplay(scope: Scope, surface: WebhookSurface, id: string): Promise<DeliveryReplay> {
  const replay = await findReplay(scope, surface, id);
  await query(
    scope.em,
    sql`update webhooks.replays set status = 'stopped', ended_at = now() where id = ${replay.id} and ended_at is null`,
  );
  return scope.em.refreshOrFail(replay);
}

/**
 * Send a sample of the first event of a subscription to this subscription only, under the same rules as a real event. Throws
 * `UNPROCESSABLE` if it is disabled.
 */
export function sendTest(scope: Scope, subscription: WebhookSubscription): Promise<Delivery> {
  requireEnabled(subscription);
  const event = subscription.events[0]!;
  const types: Readonly<Record<string, WebhookEventType>> = webhookEvents[subscription.surface];
  return transaction(scope, async (inner) => {
    const [id] = await insertEvent(inner, [subscription], {
      event,
      payload: types[event]?.data ?? {},
      aboutId: subscription.aboutId,
    });
    announce(inner);
    return inner.em.findOneOrFail(Delivery, id!);
  });
}
