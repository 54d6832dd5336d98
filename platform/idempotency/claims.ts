import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { Pool } from 'pg';
import { fail } from '../../schema/errors.ts';
import { deleteOld, forbidInTransaction, query, SWEEP_BUDGET, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';

/** One use of an `Idempotency-Key`. */
export interface Use {
  /** Hash of the key and its owner. */
  hash: Buffer;
  organizationId: string | null;
  /** Hashes of the arguments. The first one is stored; the others recognize a request from before a rotation of `SECRETS_KEY`. */
  requests: readonly Buffer[];
}

/** A use that this process has leased and works on. */
interface Claim extends Use {
  holder: string;
}

/** Milliseconds. The lease is shorter than the wait, so that a retried request can take over after a crash. */
const [LEASE, RENEW, WAIT] = [8_000, 2_000, 10_000];
const [FIRST_POLL, LAST_POLL] = [25, 400];

const TERM = `now() + interval '${LEASE} milliseconds'`;
const SPENT = `created_at < now() - interval '1 day' or (result is null and leased_until < now())`;

const INSERT = `
  insert into identity.idempotency_keys (hash, organization_id, request, holder, leased_until) values ($1, $2, $3, $4, ${TERM})
  on conflict (hash) do nothing returning hash`;
const FIND = `select request, result, ${SPENT} as spent from identity.idempotency_keys where hash = $1`;
/** Skip a locked row: its request is settling it. */
const TAKE_OVER = `
  update identity.idempotency_keys set request = $3, result = null, holder = $4, leased_until = ${TERM}, created_at = now(), organization_id = $2
   where hash in (select hash from identity.idempotency_keys where hash = $1 and (${SPENT}) for update skip locked) returning hash`;
const RENEWAL = `update identity.idempotency_keys set leased_until = ${TERM} where hash = $1 and holder = $2 and result is null`;
const RELEASE = 'delete from identity.idempotency_keys where hash = $1 and holder = $2 and result is null';

/**
 * Claim a key, or return the value of the request that used it before. While another request does the work, wait up to ten seconds
 * without holding a connection. Throws `CONFLICT` after that, `UNPROCESSABLE` for other arguments, and the reason of the signal.
 */
export async function claimKey(pool: Pool, use: Use, signal?: AbortSignal): Promise<Claim | { value: unknown }> {
  forbidInTransaction('An Idempotency-Key');
  const claim = { ...use, holder: randomUUID() };
  const values = [use.hash, use.organizationId, use.requests[0], claim.holder];
  const deadline = performance.now() + WAIT;
  for (let pause = FIRST_POLL; ; pause = Math.min(2 * pause, LAST_POLL)) {
    if ((await pool.query(INSERT, values)).rowCount) return claim;
    const { rows } = await pool.query<{ request: Buffer; result: Buffer | null; spent: boolean }>(FIND, [use.hash]);
    const [existing] = rows;
    if (existing?.spent && (await pool.query(TAKE_OVER, values)).rowCount) return claim;
    if (existing && !existing.spent) {
      if (!use.requests.some((each) => each.equals(existing.request)))
        throw fail('UNPROCESSABLE', 'This Idempotency-Key was used with another body.');
      if (existing.result) return { value: deserialize(existing.result) };
    }
    if (performance.now() + pause > deadline)
      throw fail('CONFLICT', 'A request with this Idempotency-Key is still in progress. Please try again.');
    await sleep(pause, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** Renew the lease of a claim until `stop`. A lost lease is detected when the claim is settled. */
export function startRenewal(pool: Pool, { hash, holder }: Claim): { stop(): void } {
  const timer = setInterval(() => pool.query(RENEWAL, [hash, holder]).catch(() => {}), RENEW);
  return { stop: () => clearInterval(timer) };
}

/** Store the value in the transaction of the work, so that both commit together. Throws `CONFLICT` when the lease was lost. */
export async function completeClaim({ em }: Pick<Scope, 'em'>, { hash, holder }: Claim, value: unknown): Promise<void> {
  const settled = await query(
    em,
    sql`update identity.idempotency_keys set result = ${serialize(value)}, leased_until = null
         where hash = ${hash} and holder = ${holder} and result is null returning hash`,
  );
  if (settled.length === 0)
    throw fail('CONFLICT', 'This request was interrupted, and another one with its Idempotency-Key took over. Please try again.');
}

/** Release the key after a failure. If the database is down, the lease expires instead. */
export function releaseClaim(pool: Pool, { hash, holder }: Claim): void {
  pool.query(RELEASE, [hash, holder]).catch(() => {});
}

/** Delete the answers of an organization that contain any of the ids. Their requests would run again if they were repeated. */
export async function dropResponsesWith({ em, organizationId }: Scope, ids: readonly string[]): Promise<void> {
  // The serialization stores ids as plain bytes.
  await query(
    em,
    sql`delete from identity.idempotency_keys
         where organization_id = ${organizationId} and result is not null
           and exists (select from unnest(${ids}::text[]) id where position(convert_to(id, 'UTF8') in result) > 0)`,
  );
}

/** A key that is used again at the same time is locked, and stays. */
const EXPIRED = `
  delete from identity.idempotency_keys where hash in (
    select hash from identity.idempotency_keys where created_at < now() - make_interval(days => $1) limit $2 for update skip locked)`;

/** Delete the responses that are no longer repeated, because they contain personal data. Returns their number. */
export const sweepResponses = (pool: Pool): Promise<number> => deleteOld(pool, EXPIRED, 1, SWEEP_BUDGET / 2);
