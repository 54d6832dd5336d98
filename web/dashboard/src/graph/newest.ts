import { type Exchange, makeOperation } from 'urql';
import { filter, map, pipe } from 'wonka';

/** Drops an answer whose query was sent again meanwhile. Otherwise, an old answer that arrives last would replace a newer one. */
export const newestExchange: Exchange = ({ forward }) => {
  const newest = new Map<number, number>();
  let count = 0;
  return (operations) =>
    pipe(
      operations,
      map((operation) => {
        const { kind, key, context } = operation;
        if (kind === 'teardown') newest.delete(key);
        if (kind !== 'query') return operation;
        count += 1;
        newest.set(key, count);
        return makeOperation(kind, operation, { ...context, order: count });
      }),
      forward,
      filter(({ operation: { kind, key, context } }) => kind !== 'query' || context.order === newest.get(key)),
    );
};
