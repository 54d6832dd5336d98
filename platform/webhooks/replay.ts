import { fail } from '../../schema/errors.ts';
import { findById, query, sql } from '../database/index.ts';
import { type Scope, transaction } from '../scope/index.ts';
import { announce } from './emit.ts';
import { Delivery } from './entity.ts';
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
