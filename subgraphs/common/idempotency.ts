import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { fail } from '../../schema/errors.ts';
import { isObject } from '../../schema/json.ts';
import { query, sql } from './database.ts';
import { contentsOf } from './files/drafts.ts';
import { RequestScope, type Scope } from './scope.ts';
import { type SecretName, Secrets } from './secrets.ts';

type Resolve = GraphQLFieldResolver<unknown, RequestScope, Record<string, unknown>>;

/** Whether a mutation takes an `Idempotency-Key`. */
export const creates = (field: string) => /^(create|upload)/.test(field);

/**
 * A mutation that does its work once per `Idempotency-Key` and answers the same to whoever repeats it within a day. The claim,
 * the work and its result are one transaction: a crash leaves nothing of them, and whoever comes meanwhile waits at the claim.
 */
export function idempotent(resolve: Resolve): Resolve {
  return async (source, given, scope, info) => {
    const key = scope.request.headers['idempotency-key'];
    // Whoever has no key of ours cannot be told from the next.
    if (key === undefined || scope.who instanceof Error) return resolve(source, given, scope, info);
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw fail('INVALID_INPUT', 'Idempotency-Key must be 1 to 255 visible characters');
    const claim = claimOf(key, await asSent(given, scope), scope, info);
    return scope.inTransaction(async (inner) => {
      const remembered = await take(inner, claim);
      if (remembered) return remembered.value;
      const value = plain(await resolve(source, given, inner, info));
      await inner.em.flush();
      await remember(inner, claim, value);
      return value;
    });
  };
}

interface Claim {
  hash: Buffer;
  /** Of the arguments. */
  request: Buffer;
  name: SecretName;
  /** Seals the result, which may hold what is shown only once: the database knows just the hash of the key. */
  secrets: Secrets;
}

function claimOf(key: string, sent: string, { organizationId, caller }: RequestScope, info: GraphQLResolveInfo): Claim {
  // One request may hold the same mutation twice, under two names.
  const name = `${info.fieldName} ${info.path?.key ?? ''}`;
  return {
    hash: sha256(JSON.stringify([organizationId, caller.userId, name, key])),
    request: sha256(sent),
    name: { organizationId, name },
    secrets: new Secrets([key]),
  };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The arguments as text: what files hold in place of the ids they were stored under, which are new each time. */
async function asSent(given: Record<string, unknown>, scope: RequestScope): Promise<string> {
  const { files } = { ...given, ...(given.input as object | undefined) } as { files?: unknown };
  const contents = Array.isArray(files) ? await contentsOf(scope, files.map(String)) : undefined;
  return JSON.stringify(given, (name, value: unknown) => {
    if (contents && name === 'files' && Array.isArray(value)) return value.map((id) => contents.get(String(id)) ?? id);
    return inOrder(value);
  });
}

/** The same object in any order of its keys is the same body. */
const inOrder = (value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** Take the claim, or say what it came to; waits while another holds it, as long as a caller can be expected to. */
async function take(
  { em, organizationId }: Scope,
  { hash, request, name, secrets }: Claim,
): Promise<{ value: unknown } | undefined> {
  await query(
    em,
    sql`delete from identity.idempotency_keys where hash in (
          select hash from identity.idempotency_keys where created_at < now() - interval '1 day' order by created_at limit 20 for update skip locked)`,
  );
  await query(em, sql`set local lock_timeout = '10s'`);
  const [taken] = await query(
    em,
    sql`insert into identity.idempotency_keys as k (hash, organization_id, request) values (${hash}, ${organizationId}, ${request})
        on conflict (hash) do update set request = excluded.request, result = null, created_at = now()
         where k.created_at < now() - interval '1 day' returning hash`,
  );
  await query(em, sql`set local lock_timeout = 0`);
  if (taken) return undefined;
  const [known] = await query(
    em,
    sql<{ request: Buffer; result: Buffer }>`select request, result from identity.idempotency_keys where hash = ${hash}`,
  );
  if (!known) throw fail('CONFLICT', 'A request with this Idempotency-Key was made at the same time. Please try again.');
  if (!known.request.equals(request)) throw fail('UNPROCESSABLE', 'This Idempotency-Key was used with another body.');
  return { value: deserialize(Buffer.from(secrets.open(known.result, name), 'base64')) };
}

async function remember({ em }: Scope, { hash, name, secrets }: Claim, value: unknown): Promise<void> {
  const result = secrets.seal(serialize(value).toString('base64'), name);
  await query(em, sql`update identity.idempotency_keys set result = ${result} where hash = ${hash}`);
}

/** Entities as plain objects, so that what is answered first is what is answered later. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}
