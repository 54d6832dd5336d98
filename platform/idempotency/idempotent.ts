import { createHash, createHmac } from 'node:crypto';
import { createMethodMiddlewareDecorator, Extensions, type MiddlewareFn } from 'type-graphql';
import { fail } from '../../schema/errors.ts';
import { isObject } from '../../schema/json.ts';
import { fileFingerprints } from '../files/index.ts';
import type { RequestScope, StoreResult } from '../scope/index.ts';
import { claimKey, completeClaim, releaseClaim, startRenewal, type Use } from './claims.ts';

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
