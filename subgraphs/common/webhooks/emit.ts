import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { query, sql } from '../database.ts';
import type { Scope } from '../scope.ts';
import { policyOf, type WebhookSurface } from './policies.ts';

interface Subscriber {
  id: string;
  surface: WebhookSurface;
}

/**
 * Tell whoever subscribed to an event, in the transaction of the record it is about: no record without its event, and no event
 * of a record that was rolled back.
 * @param aboutId the record (an agent, a workspace) that subscriptions may be limited to
 */
export async function emit(
  { em, organizationId }: Scope,
  event: string,
  payload: Record<string, unknown>,
  aboutId: string | null = null,
): Promise<void> {
  // Locked, so that a subscription that is deleted meanwhile goes after its delivery, not before.
  const subscribers = await query(
    em,
    sql<Subscriber>`select id, surface from webhooks.subscriptions
       where organization_id = ${organizationId} and enabled and ${event} = any(events) and (about_id is null or about_id = ${aboutId}::uuid)
       for key share`,
  );
  if (subscribers.length === 0) return;
  const occurredAt = new Date().toISOString();
  const deliveries = subscribers.map(({ id: subscriptionId, surface }) => {
    const id = uuid();
    const envelope = policyOf(surface).envelope({ id, event, organizationId, subscriptionId, aboutId, occurredAt, payload });
    return { id, subscription_id: subscriptionId, body: JSON.stringify(envelope) };
  });
  await query(
    em,
    sql`insert into webhooks.deliveries (id, organization_id, subscription_id, event, body, next_attempt_at)
        select id, ${organizationId}, subscription_id, ${event}, body, now()
          from jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb) as given (id uuid, subscription_id uuid, body text)`,
  );
  await announce(em);
}

/** Wake whoever delivers, once this is committed. */
export async function announce(em: EntityManager): Promise<void> {
  await query(em, sql`notify webhook_deliveries`);
}
