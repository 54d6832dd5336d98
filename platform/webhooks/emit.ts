import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { afterCommit, clock, query, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';
import { currentTrace } from '../telemetry/index.ts';
import { policyOf, type WebhookSurface } from './policies.ts';

interface Subscriber {
  id: string;
  enabled: boolean;
}

/**
 * Store an event with deliveries for its subscribers, in the transaction of the record. A record and its event commit or roll back
 * together. A subscription that failures disabled gets `missed` deliveries for 30 days, which can be replayed.
 * @param payload data, or a function that reads it, which is called only if somebody subscribed to the event; null emits nothing
 * @param aboutId the record (agent or workspace) to which subscriptions may be limited
 * @param recordId the record that the payload describes, if it contains personal data; `dropDeliveriesOf` finds its deliveries by it
 */
export async function emit(
  scope: Scope,
  event: string,
  payload: Record<string, unknown> | (() => Promise<Record<string, unknown> | null>),
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
  const data = typeof payload === 'function' ? await payload() : payload;
  if (!data) return;
  await insertEvent(scope, subscribers, { event, payload: data, aboutId, recordId });
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
          returning id)
        insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, record_id, trace, status, next_attempt_at)
        select given.id, ${organizationId}, subscription_id, ${event}, stored.id, ${recordId}::uuid, ${currentTrace()}::text,
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

/** An event as its row has it. */
export interface StoredEvent {
  id: string;
  event: string;
  organizationId: string;
  aboutId: string | null;
  /** As milliseconds when it is a number. */
  occurredAt: Date | number;
  /** JSON. */
  payload: string;
}

/** Stands for the payload in an envelope. No other value of an envelope contains this character. */
const PLACEHOLDER = '\u0000';
const PLACEHOLDER_JSON = JSON.stringify(PLACEHOLDER);

/** The body that a subscription of a surface receives for an event. It is the same text each time. */
export function bodyFor(surface: WebhookSurface, subscriptionId: string, event: StoredEvent): string {
  const { payload, occurredAt, ...fields } = event;
  const envelope = { ...fields, subscriptionId, occurredAt: new Date(occurredAt).toISOString(), payload: PLACEHOLDER };
  const [head, tail] = JSON.stringify(policyOf(surface).envelope(envelope)).split(PLACEHOLDER_JSON);
  return `${head}${payload}${tail}`;
}

/** Maximum size of the payload of an event, in bytes of JSON. */
const MAX_PAYLOAD = 256 * 1024;

/**
 * The payload of an event as JSON. A payload beyond `MAX_PAYLOAD` loses its largest properties and gets `truncated: true`. Ids are small,
 * so receivers can still read the record.
 */
function payloadJson(payload: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(payload);
  if (Buffer.byteLength(json) <= MAX_PAYLOAD) return json;
  const properties = Object.entries({ ...payload, truncated: true }).flatMap(([name, value]) => {
    const text = JSON.stringify({ [name]: value }).slice(1, -1);
    return text ? [{ text, bytes: Buffer.byteLength(text) + 1 }] : [];
  });
  const omitted = new Set<object>();
  let size = properties.reduce((sum, { bytes }) => sum + bytes, 1);
  for (const property of properties.toSorted((a, b) => b.bytes - a.bytes)) {
    if (size <= MAX_PAYLOAD) break;
    omitted.add(property);
    size -= property.bytes;
  }
  const remaining = properties.filter((property) => !omitted.has(property));
  return `{${remaining.map(({ text }) => text).join(',')}}`;
}

/** Milliseconds within which the deliveries of a process are announced together. */
const DELAY = 20;
/** The commit does not wait for the disk, because a notifying one delays all others of the server. */
const NOTIFY = `select set_config('synchronous_commit', 'off', true), pg_notify('webhook_deliveries', '')`;

const announced = new WeakSet<Pool>();

/**
 * Notify the deliverers of new deliveries after the transaction commits. They poll every few seconds, so an announcement that a crash loses
 * delays the deliveries.
 */
export function announce({ services: { pool } }: Scope): void {
  afterCommit(() => {
    if (announced.has(pool)) return;
    announced.add(pool);
    setTimeout(() => {
      announced.delete(pool);
      pool.query(NOTIFY).catch(() => {});
    }, DELAY);
  });
}
