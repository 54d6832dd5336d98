import type { Pool } from 'pg';
import type { WebhookSurface } from './policies.ts';

/** A delivery that this process has in hand, with all that sending it takes. */
export interface Claimed {
  id: string;
  organizationId: string;
  subscriptionId: string;
  event: string;
  body: string;
  /** How many there were before this one. */
  attempts: number;
  surface: WebhookSurface;
  url: string;
  method: string;
  secret: Buffer | null;
}

const LEASE = `interval '15 seconds'`;

/**
 * The subscriptions with open deliveries are found one by one along the index, so a long queue of one costs the others nothing;
 * each has at most `$3` deliveries in hand, over all processes, counted along the index of what is in hand.
 */
const CLAIM = `
  with recursive waiting (id) as (
    (select subscription_id from webhooks.deliveries where next_attempt_at is not null order by subscription_id limit 1)
    union all
    select (select d.subscription_id from webhooks.deliveries d
             where d.next_attempt_at is not null and d.subscription_id > w.id order by d.subscription_id limit 1)
      from waiting w where w.id is not null),
  due as (
    select d.id, s.surface, s.url, s.method, s.secret
      from waiting w join webhooks.subscriptions s on s.id = w.id and s.enabled
      cross join lateral (
        select id, next_attempt_at from webhooks.deliveries
         where subscription_id = s.id and next_attempt_at <= now() and (leased_until is null or leased_until < now())
         order by next_attempt_at
         limit greatest(0, $3::int - (select count(*) from webhooks.deliveries h
                                       where h.subscription_id = s.id and h.leased_by is not null and h.leased_until > now()))
         for update skip locked) d
     order by d.next_attempt_at limit $2)
  update webhooks.deliveries d set leased_by = $1, leased_until = now() + ${LEASE} from due where d.id = due.id
  returning d.id, d.organization_id as "organizationId", d.subscription_id as "subscriptionId", d.event, d.body, d.attempts,
            due.surface, due.url, due.method, due.secret`;

/** Take up to `limit` deliveries that are due; nobody else has them until the lease runs out. */
export async function claimDue(pool: Pool, holder: string, limit: number, perSubscription: number): Promise<Claimed[]> {
  // Prepared: it is asked after every delivery, and planning it costs as much as running it.
  const { rows } = await pool.query<Claimed>({ name: 'claim deliveries', text: CLAIM, values: [holder, limit, perSubscription] });
  return rows;
}

/** Say that the holder still lives. A killed process does not, and what it had comes back. */
export async function renewLeases(pool: Pool, holder: string): Promise<void> {
  await pool.query(`update webhooks.deliveries set leased_until = now() + ${LEASE} where leased_by = $1`, [holder]);
}

/** How many deliveries are due and in nobody's hand. */
export async function countDue(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`
    select count(*) from webhooks.deliveries d join webhooks.subscriptions s on s.id = d.subscription_id and s.enabled
     where d.next_attempt_at <= now() and (d.leased_until is null or d.leased_until < now())`);
  return Number(rows[0]?.count);
}

/** The log is kept for a month. */
export async function dropOld(pool: Pool): Promise<void> {
  await pool.query(`
    delete from webhooks.deliveries where id in (
      select id from webhooks.deliveries where next_attempt_at is null and created_at < now() - interval '30 days'
       order by created_at limit 10000)`);
}
