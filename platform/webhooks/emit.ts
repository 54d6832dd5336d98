import { v7 as uuid } from 'uuid';
import { clock, query, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';
import { currentTrace } from '../telemetry/index.ts';
import { announce } from './announce.ts';
import { payloadJson } from './body.ts';

interface Subscriber {
  id: string;
  enabled: boolean;
}

/**
 * Store an event with deliveries for its subscribers, in the transaction of the record. A record and its event commit or roll back
 * together. A subscription that failures disabled gets `missed` deliveries for 30 days, which can be replayed.
 * @param aboutId the record (agent or workspace) to which subscriptions may be limited
 * @param recordId the record that the payload describes, if it contains personal data; `dropDeliveriesOf` finds its deliveries by it
 */
export async function emit(
  scope: Scope,
  event: string,
  payload: Record<string, unknown>,
  aboutId: string | null = null,
  recordId: string | null = null,
): Promise<void> {
  const { em, organizationId } = scope;
  // Lock the subscriptions, so that a concurrent delete waits and then deletes the new deliveries, too.
  const subscribers = await query(
    em,
    sql<Subscriber>`select id, enabled from webhooks.subscriptions
       where organization_id = ${organizationId} and (enabled or disabled_at > now() - interval '30 days')
         and ${event} = any(events) and (about_id is null or about_id = ${aboutId}::uuid)
       for key share`,
  );
  if (subscribers.length === 0) return;
  await insertEvent(scope, subscribers, { event, payload, aboutId, recordId });
  announce(scope);
}

interface NewEvent {
  event: string;
  payload: Readonly<Record<string, unknown>>;
  aboutId: string | null;
  recordId?: string | null;
}

/** Store an event with a delivery for each subscriber, due if it is enabled, and return the ids of the deliveries. */
export async function insertEvent(
  { em, organizationId }: Scope,
  subscribers: readonly Subscriber[],
  { event, payload, aboutId, recordId = null }: NewEvent,
): Promise<string[]> {
  const deliveries = subscribers.map(({ id, enabled }) => ({ id: uuid(), subscription_id: id, enabled }));
  await query(
    em,
    sql`with stored as (
          insert into webhooks.events (id, organization_id, event, about_id, occurred_at, payload)
          values (${uuid()}, ${organizationId}, ${event}, ${aboutId}::uuid, ${clock.now()}, ${payloadJson(payload)})
          returning id, octet_length(payload) as bytes)
        insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, record_id, bytes, trace, status, next_attempt_at)
        select given.id, ${organizationId}, subscription_id, ${event}, stored.id, ${recordId}::uuid, stored.bytes, ${currentTrace()}::text,
               case when enabled then 'pending' else 'missed' end, case when enabled then now() end
          from stored, jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb) as given (id uuid, subscription_id uuid, enabled boolean)`,
  );
  return deliveries.map(({ id }) => id);
}

/** Delete the deliveries of the events about records, with their attempts, also those that are still to be sent. */
export async function dropDeliveriesOf({ em, organizationId }: Scope, recordIds: readonly string[]): Promise<void> {
  await query(
    em,
    sql`delete from webhooks.deliveries where organization_id = ${organizationId} and record_id = any(${recordIds}::uuid[])`,
  );
}
