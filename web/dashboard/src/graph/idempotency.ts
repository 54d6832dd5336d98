import { type Exchange, makeOperation } from 'urql';
import { map, pipe, tap } from 'wonka';

/**
 * Sends each mutation with an `Idempotency-Key`. A mutation that is repeated after a failure has the same key, because the server may have
 * run it although its answer was lost. A mutation with `{ showsSecret: true }` in its context has none: the answer to a repeated key leaves
 * the secret out.
 */
export const idempotencyExchange: Exchange = ({ forward }) => {
  const failed = new Map<number, string>();
  return (operations) =>
    pipe(
      operations,
      map((operation) => {
        const { kind, key, context } = operation;
        if (kind !== 'mutation' || context.showsSecret) return operation;
        const idempotencyKey = failed.get(key) ?? crypto.randomUUID();
        const options = context.fetchOptions as RequestInit;
        const fetchOptions = { ...options, headers: { ...options.headers, 'idempotency-key': idempotencyKey } };
        return makeOperation(kind, operation, { ...context, idempotencyKey, fetchOptions });
      }),
      forward,
      tap(({ operation: { kind, key, context }, error }) => {
        if (kind !== 'mutation' || !context.idempotencyKey) return;
        if (error) failed.set(key, context.idempotencyKey as string);
        else failed.delete(key);
      }),
    );
};
