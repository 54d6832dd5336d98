/** Runs an operation once for each `Idempotency-Key` of its caller, and repeats the stored response. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { Pool } from 'pg';
import { createMethodMiddlewareDecorator, Extensions, type MiddlewareFn } from 'type-graphql';
import { fail } from '../../schema/errors.ts';
import { isObject } from '../../schema/json.ts';
import { deleteOld, forbidInTransaction, query, SWEEP_BUDGET, sql } from '../database/index.ts';
import { fileFingerprints } from '../files/index.ts';
import type { RequestScope, Scope, StoreResult } from '../scope/index.ts';

export type KeyOwner = 'organization' | 'user' | 'visitor' | 'form';

// biome-ignore lint/suspicious/noExplicitAny: the arguments of the operation
type Authorize = (scope: RequestScope, args: any) => Promise<void>;

interface IdempotencyOptions {
  /**
   * Owner of the keys. Use `user` for operations without an organization, and `visitor` or `form` for public ones: the method calls
   * `scope.writeWithin` with the ids of the owner.
   */
  per?: KeyOwner;
  /** The method first waits outside a transaction (for files, DNS or its turn) and then calls `scope.write` itself. */
  prepares?: boolean;
  /** Refuses callers without a permission that depends on the arguments. A repeated request does not run the method, which checks it too. */
  authorize?: Authorize;
  /** Properties of the result that are returned once. They are not stored, and null in the response to a retry. */
  shownOnce?: readonly string[];
}

/** Marks idempotent operations in the extensions of their field. */
export const IDEMPOTENT = 'idempotent';

/**
 * Makes a mutation accept an `Idempotency-Key`: it runs once per key and repeats its response for a day. Place it below `@Authorized`, so
 * that authorization runs first. With a key of a member, the whole method runs in one transaction, unless `prepares` is set.
 */
export function Idempotent(options: IdempotencyOptions = {}): MethodDecorator {
  const once = createMethodMiddlewareDecorator(onceOnly(options));
  const mark = Extensions({ [IDEMPOTENT]: { per: options.per ?? 'organization' } });
  return (target, name, descriptor) => {
    once(target, name, descriptor);
    mark(target, name as string, descriptor);
  };
}

function onceOnly({
  per = 'organization',
  prepares = false,
  authorize,
  shownOnce,
}: IdempotencyOptions): MiddlewareFn<RequestScope> {
  return async (action, next) => {
    const { context: scope, args, info } = action;
    const key = scope.request.headers['idempotency-key'];
    if (key === undefined) return next();
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw fail('INVALID_INPUT', 'Idempotency-Key must be 1 to 255 visible characters');

    await authorize?.(scope, args);

    // One request may contain the same mutation twice, under two aliases.
    const operation = [info.fieldName, info.path.key, key];
    const requests = await fingerprints(args, scope);
    const useOf = (organizationId: string | null, owner: unknown[]): Use => ({
      hash: sha256(JSON.stringify(owner)),
      organizationId,
      requests,
    });
    const runIn = (context: RequestScope) => {
      action.context = context;
      return next();
    };

    if (per === 'visitor' || per === 'form')
      return runIn(
        scope.withRunOnce((organizationId, owner, write) =>
          runOnce(scope, useOf(organizationId, [per, ...owner, ...operation]), write),
        ),
      );

    const organizationId = per === 'user' ? null : scope.organizationId;
    const owner = [organizationId, scope.caller.userId, ...operation];
    // A key that is bound to a workspace must not read a result of another one.
    if (scope.workspaceId) owner.push(scope.workspaceId);
    return runOnce(
      scope,
      useOf(organizationId, owner),
      (storeResult) => {
        const storing = scope.withStoreResult(storeResult);
        return prepares ? runIn(storing) : storing.write(runIn);
      },
      shownOnce,
    );
  };
}

/**
 * Run `work` once per use of a key, and repeat its value for a day. `work` calls `storeResult` with the value in the transaction of its writes.
 * @param shownOnce properties of the value that are not stored, and null in the response to a retry
 */
async function runOnce(
  { services: { pool }, signal }: RequestScope,
  use: Use,
  work: (storeResult: StoreResult) => Promise<unknown>,
  shownOnce: readonly string[] = [],
): Promise<unknown> {
  const claimed = await claimKey(pool, use, signal);
  if ('value' in claimed) return claimed.value;

  const renewal = startRenewal(pool, claimed);
  const answer: { value?: unknown } = {};
  const storeResult: StoreResult = async (inner, value) => {
    renewal.stop();
    answer.value = plain(value);
    await completeClaim(inner, claimed, without(answer.value, shownOnce));
    return answer.value;
  };
  try {
    await work(storeResult);
    if (!('value' in answer)) throw new Error('An idempotent operation must write by its scope');
    return answer.value;
  } catch (error) {
    releaseClaim(pool, claimed);
    throw error;
  } finally {
    renewal.stop();
  }
}

/** Convert entities to plain objects, so that the first response equals the repeated one. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

const without = (value: unknown, names: readonly string[]): unknown =>
  names.length === 0 ? value : { ...(value as object), ...Object.fromEntries(names.map((name) => [name, null])) };

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Hash the arguments of a request. Files count by their content, because a retried upload has new ids. The hash is keyed, because a plain
 * hash of a weak secret could be guessed. Returns the hashes by all keys of `SECRETS_KEY`, in their order.
 */
async function fingerprints(args: Record<string, unknown>, scope: RequestScope): Promise<Buffer[]> {
  const { files } = { ...args, ...(args.input as object | undefined) } as { files?: unknown };
  const contents = Array.isArray(files) ? await fileFingerprints(scope, files.map(String)) : undefined;
  const text = JSON.stringify(args, (name, value: unknown) => {
    if (contents && name === 'files' && Array.isArray(value)) return value.map((id) => contents.get(String(id)) ?? id);
    return sorted(value);
  });
  const keys = scope.services.secrets.tokenKeys('idempotency');
  return keys.map((key) => createHmac('sha256', key).update(text).digest());
}

/** Sort the keys of an object, so that their order does not matter. */
const sorted = (value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** One use of an `Idempotency-Key`. */
interface Use {
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
async function claimKey(pool: Pool, use: Use, signal?: AbortSignal): Promise<Claim | { value: unknown }> {
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
function startRenewal(pool: Pool, { hash, holder }: Claim): { stop(): void } {
  const timer = setInterval(() => pool.query(RENEWAL, [hash, holder]).catch(() => {}), RENEW);
  return { stop: () => clearInterval(timer) };
}

/** Store the value in the transaction of the work, so that both commit together. Throws `CONFLICT` when the lease was lost. */
async function completeClaim({ em }: Pick<Scope, 'em'>, { hash, holder }: Claim, value: unknown): Promise<void> {
  const settled = await query(
    em,
    sql`update identity.idempotency_keys set result = ${serialize(value)}, leased_until = null
         where hash = ${hash} and holder = ${holder} and result is null returning hash`,
  );
  if (settled.length === 0)
    throw fail('CONFLICT', 'This request was interrupted, and another one with its Idempotency-Key took over. Please try again.');
}

/** Release the key after a failure. If the database is down, the lease expires instead. */
function releaseClaim(pool: Pool, { hash, holder }: Claim): void {
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
