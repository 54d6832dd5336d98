import { fail } from '../../../schema/errors.ts';
import { query, sql } from '../../common/database.ts';
import { isId } from '../../common/ids.ts';
import { listPage, type PageRequest } from '../../common/page.ts';
import { type Bind, readRows } from '../../common/rows.ts';
import { type RequestScope, type Scope, transaction } from '../../common/scope.ts';
import { announce } from '../../common/webhooks/emit.ts';
import { Attempt, Delivery } from '../../common/webhooks/entity.ts';
import { findSubscription } from './service.ts';

const LIST_COLUMNS = [
  'id',
  'event',
  'body',
  'status',
  'attempts',
  'responseStatus',
  'lastError',
  'nextAttemptAt',
  'createdAt',
] as const;

/** The deliveries of a webhook, newest first. Throws `NOT_FOUND` for an unknown webhook. */
export async function listDeliveries(scope: Scope, webhookId: string, page: PageRequest) {
  const { id: subscriptionId } = await findSubscription(scope, webhookId);
  return listPage(
    scope,
    Delivery,
    { columns: LIST_COLUMNS, where: { subscriptionId }, orderBy: { createdAt: 'desc', id: 'desc' } },
    page,
  );
}

export const MAX_ATTEMPTS = 100;

/** The latest attempts of a delivery, oldest first. Batches a page of deliveries into one query. */
export async function attemptsOf(scope: RequestScope, deliveryId: string): Promise<Attempt[]> {
  const read = scope.batch('webhook attempts', async (deliveryIds) => {
    // The limit applies per delivery, because replays can add any number of attempts.
    const matching = (bind: Bind) => `r.id in (
      select a.id from unnest(${bind(deliveryIds)}::uuid[]) as d (id) cross join lateral (
        select id from webhooks.attempts where delivery_id = d.id order by at desc, id desc limit ${MAX_ATTEMPTS}
      ) a)`;
    const attempts = await readRows(scope, Attempt, { matching, orderBy: { at: 'asc', id: 'asc' } });
    return Map.groupBy(attempts, (each) => each.deliveryId);
  });
  return (await read(deliveryId)) ?? [];
}

/**
 * Sends a delivery again, with the same id. Throws `NOT_FOUND`, and `UNPROCESSABLE` if the webhook is disabled or an attempt is
 * already scheduled.
 */
export async function replayDelivery(scope: Scope, id: string): Promise<Delivery> {
  const delivery = isId(id) ? await scope.em.findOne(Delivery, id) : null;
  if (!delivery) throw fail('NOT_FOUND', 'Delivery not found');
  const { enabled } = await findSubscription(scope, delivery.subscriptionId);
  if (!enabled) throw fail('UNPROCESSABLE', 'The webhook is disabled.');
  return transaction(scope, async ({ em, organizationId }) => {
    const scheduled = await query(
      em,
      sql`update webhooks.deliveries set status = 'pending', next_attempt_at = now()
           where id = ${id} and organization_id = ${organizationId} and next_attempt_at is null returning id`,
    );
    if (scheduled.length === 0) throw fail('UNPROCESSABLE', 'The delivery is still to be sent.');
    await announce(em);
    // Read before the commit, because a sender may change the row right after it.
    return em.findOneOrFail(Delivery, id, { refresh: true });
  });
}
