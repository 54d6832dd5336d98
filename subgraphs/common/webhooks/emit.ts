import { v7 as uuid } from 'uuid';
import { clock } from '../clock.ts';
import { query, sql } from '../database/database.ts';
import type { Scope } from '../scope.ts';
import { currentTrace } from '../telemetry/tracing.ts';
import { announce } from './announce.ts';
import { payloadJson } from './payload.ts';
import { policyOf, type WebhookEvent, type WebhookSurface } from './policies.ts';

interface Subscriber {
  id: string;
  surface: WebhookSurface;
  enabled: boolean;
}

/**
 * Create deliveries of an event for its subscribers, in the transaction of the record. A record and its event commit or roll back
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
    sql<Subscriber>`select id, surface, enabled from webhooks.subscriptions
       where organization_id = ${organizationId} and (enabled or disabled_at > now() - interval '30 days')
         and ${event} = any(events) and (about_id is null or about_id = ${aboutId}::uuid)
       for key share`,
  );
  if (subscribers.length === 0) return;
  await insertDeliveries(scope, subscribers, { event, payload, aboutId, recordId });
  announce(scope);
}

/** Stands for the payload in an envelope. No other value of an envelope contains this character. */
const PLACEHOLDER = '\u0000';
const PLACEHOLDER_JSON = JSON.stringify(PLACEHOLDER);

interface NewEvent extends Pick<WebhookEvent, 'event' | 'aboutId'> {
  payload: Readonly<Record<string, unknown>>;
  recordId?: string | null;
}

/**
 * Create a delivery of an event for each subscriber, due if it is enabled, and return their ids. PostgreSQL puts the payload into the
 * envelopes, so memory does not grow with payload times subscribers.
 */
export async function insertDeliveries(
  { em, organizationId }: Scope,
  subscribers: readonly Subscriber[],
  { event, payload, aboutId, recordId = null }: NewEvent,
): Promise<string[]> {
  const occurredAt = clock.now().toISOString();
  const deliveries = subscribers.map(({ id: subscriptionId, surface, enabled }) => {
    const id = uuid();
    const fields = { id, event, organizationId, subscriptionId, aboutId, occurredAt, payload: PLACEHOLDER };
    const [head, tail] = JSON.stringify(policyOf(surface).envelope(fields)).split(PLACEHOLDER_JSON);
    return { id, subscription_id: subscriptionId, head, tail, enabled };
  });
  await query(
    em,
    sql`insert into webhooks.deliveries (id, organization_id, subscription_id, event, record_id, body, trace, status, next_attempt_at)
        select id, ${organizationId}, subscription_id, ${event}, ${recordId}::uuid, head || ${payloadJson(payload)}::text || tail, ${currentTrace()}::text,
               case when enabled then 'pending' else 'missed' end, case when enabled then now() end
          from jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb)
            as given (id uuid, subscription_id uuid, head text, tail text, enabled boolean)`,
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
