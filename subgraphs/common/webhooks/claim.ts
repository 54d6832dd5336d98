import type { Pool } from 'pg';
import { v4 as uuid } from 'uuid';
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
  surface: WebhookSurface;
  url: string;
  method: string;
  secret: Buffer | null;
  /** The secret before the last rotation, while it still signs. */
  previousSecret: Buffer | null;
}

/** Maximum concurrent leases of one subscription, across all processes. */
const PER_SUBSCRIPTION = 8;
const LEASE = `interval '15 seconds'`;
const DUE = `next_attempt_at <= now() and (leased_until is null or leased_until < now())`;

/** Whether a worker is sending a delivery. */
export const LEASED = `leased_by is not null and leased_until > now()`;

/** Common table expression of subscriptions with open deliveries, found by index skip scan. Requires `with recursive`. */
export const WAITING = `
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
 * $1 lease, $2 free slots, $3 maximum deliveries, $4 per subscription, $5 and $6 organizations and the slots they hold.
 */
const CLAIM = `
  with recursive ${WAITING},
  open as (
    select s.id, s.organization_id, coalesce(o.held, 0) as held, ceil(($2::int - coalesce(o.held, 0)) / 2.0)::int as share
      from waiting w join webhooks.subscriptions s on s.id = w.id and s.enabled
      left join unnest($5::uuid[], $6::int[]) as o (organization_id, held) using (organization_id)
     where coalesce(o.held, 0) < $2::int),
  due as (
    select d.id, d.next_attempt_at, o.organization_id, o.held, o.share,
           h.leased + row_number() over (partition by o.id order by d.next_attempt_at) as turn
      from open o
      cross join lateral (select count(*) as leased from webhooks.deliveries
                           where subscription_id = o.id and ${LEASED}) h
      cross join lateral (select id, next_attempt_at from webhooks.deliveries where subscription_id = o.id and ${DUE}
                           order by next_attempt_at limit greatest(0, least($4::int - h.leased, o.share))) d),
  ranked as (
    select id, next_attempt_at, held, share, row_number() over (partition by organization_id order by turn, next_attempt_at) as place from due),
  chosen as (
    select id from ranked where place <= share order by held + place, next_attempt_at limit $3::int),
  locked as (
    select id from webhooks.deliveries where id in (select id from chosen) and ${DUE} for update skip locked)
  update webhooks.deliveries d set leased_by = $1, leased_until = now() + ${LEASE}
    from webhooks.subscriptions s where d.id in (select id from locked) and s.id = d.subscription_id
  returning d.id, d.leased_by as lease, d.organization_id as "organizationId", d.subscription_id as "subscriptionId", d.event, d.body,
            d.trace, d.attempts, s.surface, s.url, s.method, s.secret,
            case when s.previous_secret_expires_at > now() then s.previous_secret end as "previousSecret"`;

/**
 * Lease deliveries that are due. A call takes at most half of the `free` slots, so that some remain for organizations whose deliveries
 * become due later.
 * @param active the deliveries that this process is sending
 */
export async function claimDue(pool: Pool, free: number, active: readonly ClaimedDelivery[] = []): Promise<ClaimedDelivery[]> {
  const held = Map.groupBy(active, ({ organizationId }) => organizationId);
  const counts = [...held.values()].map(({ length }) => length);
  const values = [uuid(), free, Math.ceil(free / 2), PER_SUBSCRIPTION, [...held.keys()], counts];
  // A prepared statement, because it runs after every delivery and planning costs as much as execution.
  const { rows } = await pool.query<ClaimedDelivery>({ name: 'claim deliveries', text: CLAIM, values });
  return rows;
}

const RENEW = `
  update webhooks.deliveries d set leased_until = now() + ${LEASE}
    from unnest($1::uuid[], $2::uuid[]) as held (id, lease) where d.id = held.id and d.leased_by = held.lease`;

/** Renew the leases of deliveries in progress. Other leases expire, and another process takes over. */
export async function renewLeases(pool: Pool, active: readonly ClaimedDelivery[]): Promise<void> {
  await pool.query(RENEW, [active.map(({ id }) => id), active.map(({ lease }) => lease)]);
}

/** Count the deliveries that are due and not leased. */
export async function countDue(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`
    select count(*) from webhooks.deliveries d join webhooks.subscriptions s on s.id = d.subscription_id and s.enabled
     where ${DUE}`);
  return Number(rows[0]?.count);
}

/** Delete finished deliveries and replays after 30 days. */
export async function dropOld(pool: Pool): Promise<void> {
  await pool.query(`
    delete from webhooks.deliveries where id in (
      select id from webhooks.deliveries where next_attempt_at is null and created_at < now() - interval '30 days'
       order by created_at limit 10000)`);
  await pool.query(`delete from webhooks.replays where ended_at < now() - interval '30 days'`);
}
