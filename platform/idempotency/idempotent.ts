import { createMethodMiddlewareDecorator, Extensions, type MiddlewareFn } from 'type-graphql';
import { fail } from '../../schema/errors.ts';
import type { RequestScope } from '../scope/index.ts';
import type { Use } from './claims.ts';
import { fingerprints, sha256 } from './fingerprint.ts';
import { runOnce } from './once.ts';

export type KeyOwner = 'organization' | 'user' | 'visitor' | 'form';

// biome-ignore lint/suspicious/noExplicitAny: the arguments of the operation
export type Authorize = (scope: RequestScope, args: any) => Promise<void>;

export interface IdempotencyOptions {
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
        scope.withOnce((organizationId, owner, write) =>
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
      (settle) => {
        const settling = scope.withSettle(settle);
        return prepares ? runIn(settling) : settling.write(runIn);
      },
      shownOnce,
    );
  };
}
