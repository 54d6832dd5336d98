import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { inTransaction } from '../database/index.ts';
import { increment } from '../queues/index.ts';
import { bodyFor, type StoredEvent } from './emit.ts';
import type { WebhookSurface } from './policies.ts';

/** A delivery that this process has leased, with all data that sending needs. */
export interface ClaimedDelivery {
  id: string;
  /** Proves that the delivery is still leased by the claim that returned it. */
  lease: string;
  organizationId: string;
  subscriptionId: string;
  event: string;
  body: string;
  /** The trace of the event as a `traceparent`; null when it was not traced. */
  trace: string | null;
  /** Attempts before this one. */
  attempts: number;
  /** Leases that expired without a result. */
  losses: number;
  /** Whether the attempt was interrupted too often. It fails without a request, and `body` is empty. */
  isExhausted: boolean;
  surface: WebhookSurface;
  url: string;
  method: string;
  secret: Buffer | null;
  /** The secret before the last rotation, while it still signs. */
  previousSecret: Buffer | null;
}

/** Maximum concurrent leases of one subscription, across all processes. */
const PER_SUBSCRIPTION = 8;
/** Losses after which a process sends a delivery while it sends no other such one: it may end the process, and others with it. */
const SUSPECT = 2;
/** Includes a lease that has expired, which the claim counts. */
const IS_SUSPECT = `(losses >= ${SUSPECT} - (leased_by is not null)::int)`;
/** Losses after which an interrupted attempt fails instead of being repeated. */
export const MAX_LOSSES = 5;
/** `l` is the lease, `d` the updated delivery. */
const EXHAUSTED = `(l.repeated and d.losses >= ${MAX_LOSSES})`;
const LEASE = `interval '15 seconds'`;
const DUE = `next_attempt_at <= now() and (leased_until is null or leased_until < now())`;

/** Whether a worker is sending a delivery. */
const LEASED = `leased_by is not null and leased_until > now()`;

/** Common table expression of subscriptions with open deliveries, found by index skip scan. Requires `with recursive`. */
const WAITING = `
  waiting (id) as (
    (select subscription_id from webhooks.deliveries where next_attempt_at is not null order by subscription_id limit 1)
    union all
    select (select d.subscription_id from webhooks.deliveries d
             where d.next_attempt_at is not null and d.subscription_id > w.id order by d.subscription_id limit 1)
      from waiting w where w.id is not null)`;

/**
 * Starts from subscriptions, so a long queue of one does not slow down the others. Ranks deliveries
 * round-robin by subscription within an organization, and then across organizations by the slots that each holds. An organization gets
 * slots only while it holds fewer than are free, so at least as many remain for the others.
 * $1 lease, $2 free slots, $3 maximum deliveries, $4 per subscription, $5 and $6 organizations and the slots they hold, $7 whether to claim
 * a suspect.
 */
const CLAIM = `
  with recursive ${WAITING},
  open as (
    select s.id, s.organization_id, coalesce(o.held, 0) as held, ceil(($2::int - coalesce(o.held, 0)) / 2.0)::int as share
      from waiting w join webhooks.subscriptions s on s.id = w.id and s.enabled
      left join unnest($5::uuid[], $6::int[]) as o (organization_id, held) using (organization_id)
     where coalesce(o.held, 0) < $2::int),
  due as (
    select d.id, d.next_attempt_at, d.suspect, o.organization_id, o.held, o.share,
           h.leased + row_number() over (partition by o.id order by d.next_attempt_at) as turn
      from open o
      cross join lateral (select count(*) as leased from webhooks.deliveries
                           where subscription_id = o.id and ${LEASED}) h
      cross join lateral (select id, next_attempt_at, ${IS_SUSPECT} as suspect from webhooks.deliveries
                           where subscription_id = o.id and ${DUE} and ($7 or not ${IS_SUSPECT})
                           order by next_attempt_at limit greatest(0, least($4::int - h.leased, o.share))) d),
  ranked as (
    select *, row_number() over (partition by organization_id order by turn, next_attempt_at, id) as place from due),
  shared as (
    select *, row_number() over (partition by suspect order by held + place, next_attempt_at, id) as nth from ranked
     where place <= share),
  chosen as (
    select id from shared where nth = 1 or not suspect order by held + place, next_attempt_at, id limit $3::int),
  locked as (
    select id, event_id, leased_by is not null as repeated from webhooks.deliveries where id in (select id from chosen) and ${DUE}
       for update skip locked)
  update webhooks.deliveries d
     set leased_by = $1, leased_until = now() + ${LEASE}, losses = case when l.repeated then ${increment('d.losses')} else d.losses end
    from locked l join webhooks.events e on e.id = l.event_id, webhooks.subscriptions s where d.id = l.id and s.id = d.subscription_id
  returning d.id, d.leased_by as lease, d.organization_id as "organizationId", d.subscription_id as "subscriptionId", d.event,
            d.trace, d.attempts, d.losses,
            ${EXHAUSTED} as "isExhausted", s.surface, s.url, s.method, s.secret,
            case when s.previous_secret_expires_at > now() then s.previous_secret end as "previousSecret",
            d.event_id as "eventId", e.about_id as "aboutId", (extract(epoch from e.occurred_at) * 1000)::float8 as "occurredAt",
            case when not ${EXHAUSTED} then e.payload end as payload`;

type Row = Omit<ClaimedDelivery, 'body'> & Omit<StoredEvent, 'id' | 'payload'> & { eventId: string; payload: string | null };

function toDelivery({ eventId, aboutId, occurredAt, payload, ...delivery }: Row): ClaimedDelivery {
  if (payload === null) return { ...delivery, body: '' };
  const { surface, subscriptionId, event, organizationId } = delivery;
  return {
    ...delivery,
    body: bodyFor(surface, subscriptionId, { id: eventId, event, organizationId, aboutId, occurredAt, payload }),
  };
}

/**
 * Lease deliveries that are due. A call takes at most half of the `free` slots, so that some remain for organizations whose deliveries
 * become due later.
 * @param active the deliveries that this process is sending
 */
export async function claimDue(pool: Pool, free: number, active: readonly ClaimedDelivery[] = []): Promise<ClaimedDelivery[]> {
  const held = Map.groupBy(active, ({ organizationId }) => organizationId);
  const counts = [...held.values()].map(({ length }) => length);
  const values = [uuid(), free, Math.ceil(free / 2), PER_SUBSCRIPTION, [...held.keys()], counts, !active.some(isSuspect)];
  // A prepared statement, because it runs after every delivery and planning costs as much as execution.
  const { rows } = await pool.query<Row>({ name: 'claim deliveries', text: CLAIM, values });
  const claimed = rows.map(toDelivery);
  // Its subscription may have more suspects, which took the places of other deliveries.
  return claimed.some(isSuspect)
    ? [...claimed, ...(await claimDue(pool, free - claimed.length, [...active, ...claimed]))]
    : claimed;
}

const isSuspect = ({ losses }: ClaimedDelivery): boolean => losses >= SUSPECT;

/**
 * The deliveries among `$1` that the leases `$2` hold, locked. Skips those that another transaction changes, such as the deletion of their
 * subscription: waiting for it could be a deadlock, because it locks deliveries in its own order.
 */
const HELD = `
  held as (
    select d.id from webhooks.deliveries d join unnest($1::uuid[], $2::uuid[]) as active (id, lease) on d.id = active.id and d.leased_by = active.lease
       for no key update of d skip locked)`;

const RENEW = `
  with ${HELD} update webhooks.deliveries d set leased_until = now() + ${LEASE} from held where d.id = held.id`;

/** Renew the leases of deliveries in progress. Other leases expire, and another process takes over. */
export async function renewLeases(pool: Pool, active: readonly ClaimedDelivery[]): Promise<void> {
  await pool.query(RENEW, [active.map(({ id }) => id), active.map(({ lease }) => lease)]);
}

const RELEASE = `
  with ${HELD} update webhooks.deliveries d set leased_by = null, leased_until = null from held where d.id = held.id`;

/** Release the leases of deliveries that this process abandons. They count no loss, and another process sends them. */
export async function releaseLeases(pool: Pool, active: readonly ClaimedDelivery[]): Promise<void> {
  await pool.query(RELEASE, [active.map(({ id }) => id), active.map(({ lease }) => lease)]);
}

/** Count the deliveries that are due and not leased. */
export async function countDue(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`
    select count(*) from webhooks.deliveries d join webhooks.subscriptions s on s.id = d.subscription_id and s.enabled
     where ${DUE}`);
  return Number(rows[0]?.count);
}

const DROP = `
  delete from webhooks.deliveries where id in (
    select id from webhooks.deliveries where next_attempt_at is null and created_at < now() - interval '30 days'
     order by created_at limit 10000 for update skip locked)`;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Delete finished deliveries and replays after 30 days, and the events of which no delivery is left. Skips deliveries that are replayed at
 * the same time. Gives way to a deletion of subscriptions, because waiting for it could be a deadlock; the next sweep tries again.
 */
export async function dropOld(pool: Pool): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await connection.query(`set local lock_timeout = '500ms'`);
    await connection.query(DROP);
  }).catch((error: { code?: string }) => {
    if (error.code !== LOCK_NOT_AVAILABLE) throw error;
  });
  await pool.query(`delete from webhooks.replays where ended_at < now() - interval '30 days'`);
}

/** The length is counted up to this number, so that a long queue does not make the metrics expensive. */
const MAX_LENGTH = 10_000;

interface QueueState {
  queue: 'outbox' | 'webhook_deliveries';
  /** Age of the oldest message in seconds; 0 for an empty queue. */
  seconds: number;
  /** Waiting messages, at most `MAX_LENGTH`. */
  length: number;
}

/** The age ignores subscriptions that a worker is serving: a slow receiver may have a long backlog of its own. */
const STATES = `
  with recursive ${WAITING}
  select 'outbox' as queue, min(created_at) as since,
         (select count(*) from (select from identity.outbox limit ${MAX_LENGTH}) o) as length
    from identity.outbox
  union all
  select 'webhook_deliveries', min(d.next_attempt_at),
         (select count(*) from (select from webhooks.deliveries where next_attempt_at <= now() limit ${MAX_LENGTH}) o)
    from waiting w join webhooks.subscriptions s on s.id = w.id and s.enabled
    cross join lateral (select min(next_attempt_at) as next_attempt_at from webhooks.deliveries
                         where subscription_id = s.id and next_attempt_at <= now()) d
   where not exists (select 1 from webhooks.deliveries where subscription_id = s.id and ${LEASED})`;

/** The age and length of the outbox and of the webhook deliveries. */
export async function readQueues(pool: Pool): Promise<QueueState[]> {
  const { rows } = await pool.query<{ queue: QueueState['queue']; seconds: string; length: string }>(
    `select queue, coalesce(greatest(extract(epoch from now() - since), 0), 0) as seconds, length from (${STATES}) states`,
  );
  return rows.map(({ queue, seconds, length }) => ({ queue, seconds: Number(seconds), length: Number(length) }));
}
