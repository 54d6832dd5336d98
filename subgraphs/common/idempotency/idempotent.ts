import { createMethodMiddlewareDecorator, Extensions, type MiddlewareFn } from 'type-graphql';
import { fail } from '../../../schema/errors.ts';
import type { RequestScope } from '../scope.ts';
import { claimKey, keepClaim, releaseClaim, settleClaim } from './claims.ts';
import { fingerprint, sha256 } from './fingerprint.ts';

export interface IdempotencyOptions {
  /** Whose keys they are. `user` for operations that need no organization; they are the same in every organization. */
  per?: 'organization' | 'user';
  /** The method prepares outside a transaction (files, names of hosts) and then calls `scope.write` itself. */
  prepares?: boolean;
  /** Properties of the result that are shown once. They are not stored, and null in the answer to a repeated request. */
  shownOnce?: readonly string[];
}

/** The mark of an idempotent operation in the extensions of its field. */
export const IDEMPOTENT = 'idempotent';

/**
 * A mutation that takes an `Idempotency-Key`: it does its work once per key and repeats its answer for a day. Authorization comes
 * first, so it stands below `@Authorized`. Unless it prepares, the whole method runs in one transaction when there is a key.
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
    // One request may hold the same mutation twice, under two names.
    const owner = [organizationId, scope.caller.userId, info.fieldName, info.path.key, key];
    const request = await fingerprint(args, scope);
    const claimed = await claimKey(pool, { hash: sha256(JSON.stringify(owner)), organizationId, request }, scope.signal);
    if ('value' in claimed) return claimed.value;

    const renewal = keepClaim(pool, claimed);
    const answer: { value?: unknown } = {};
    const settling = scope.settledBy(async (inner, value) => {
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

/** Entities as plain objects, so that the first answer and the repeated one are the same. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

const without = (value: unknown, names: readonly string[]): unknown =>
  names.length === 0 ? value : { ...(value as object), ...Object.fromEntries(names.map((name) => [name, null])) };
