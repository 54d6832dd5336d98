import { createMethodMiddlewareDecorator, Extensions, type MiddlewareFn } from 'type-graphql';
import { fail } from '../../../schema/errors.ts';
import type { RequestScope } from '../scope.ts';
import { claimKey, releaseClaim, settleClaim, startRenewal } from './claims.ts';
import { fingerprint, sha256 } from './fingerprint.ts';

export interface IdempotencyOptions {
  /** Owner of the keys. Use `user` for operations without an organization. */
  per?: 'organization' | 'user';
  /** The method first waits outside a transaction (for files or DNS) and then calls `scope.write` itself. */
  prepares?: boolean;
  /** Properties of the result that are returned once. They are not stored, and null in the response to a retry. */
  shownOnce?: readonly string[];
}

/** Marks idempotent operations in the extensions of their field. */
export const IDEMPOTENT = 'idempotent';

/**
 * Makes a mutation accept an `Idempotency-Key`: it runs once per key and repeats its response for a day. Place it below `@Authorized`, so
 * that authorization runs first. With a key, the whole method runs in one transaction, unless `prepares` is set.
 */
export function Idempotent(options: IdempotencyOptions = {}): MethodDecorator {
  const once = createMethodMiddlewareDecorator(onceOnly(options));
  const mark = Extensions({ [IDEMPOTENT]: { per: options.per ?? 'organization' } });
  return (target, name, descriptor) => {
    once(target, name, descriptor);
    mark(target, name as string, descriptor);
  };
}

function onceOnly({ per = 'organization', prepares = false, shownOnce = [] }: IdempotencyOptions): MiddlewareFn<RequestScope> {
  return async (action, next) => {
    const { context: scope, args, info } = action;
    const key = scope.request.headers['idempotency-key'];
    if (key === undefined) return next();
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw fail('INVALID_INPUT', 'Idempotency-Key must be 1 to 255 visible characters');

    const { pool } = scope.services;
    const organizationId = per === 'user' ? null : scope.organizationId;
    // One request may contain the same mutation twice, under two aliases.
    const owner = [organizationId, scope.caller.userId, info.fieldName, info.path.key, key];
    // A key that is bound to a workspace must not read a result of another one.
    if (scope.workspaceId) owner.push(scope.workspaceId);
    const request = await fingerprint(args, scope);
    const claimed = await claimKey(pool, { hash: sha256(JSON.stringify(owner)), organizationId, request }, scope.signal);
    if ('value' in claimed) return claimed.value;

    const renewal = startRenewal(pool, claimed);
    const answer: { value?: unknown } = {};
    const settling = scope.withSettle(async (inner, value) => {
      renewal.stop();
      answer.value = plain(value);
      await settleClaim(inner, claimed, without(answer.value, shownOnce));
      return answer.value;
    });
    const runIn = (context: RequestScope) => {
      action.context = context;
      return next();
    };
    try {
      await (prepares ? runIn(settling) : settling.write(runIn));
      if (!('value' in answer)) throw new Error(`${info.fieldName} is idempotent, so it must write by scope.write`);
      return answer.value;
    } catch (error) {
      releaseClaim(pool, claimed);
      throw error;
    } finally {
      renewal.stop();
    }
  };
}

/** Convert entities to plain objects, so that the first response equals the repeated one. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

const without = (value: unknown, names: readonly string[]): unknown =>
  names.length === 0 ? value : { ...(value as object), ...Object.fromEntries(names.map((name) => [name, null])) };
