import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { GraphQLFormattedError } from 'graphql';
import { parse, validate } from 'graphql';
import type { Gateway } from '../../gateway/gateway.ts';
import { ask, federate, gatewayOf } from './support/federation.ts';
import { operations } from './support/operations.ts';
import type { Oracle } from './support/oracle.ts';
import { oracleOf } from './support/oracle.ts';
import { shop } from './support/shop.ts';

const federation = federate(shop);
const gateway: Gateway = gatewayOf(federation);
let apollo: Oracle;
beforeAll(async () => {
  apollo = await oracleOf(federation);
});
afterAll(() => gateway.close());

const runs = Number(process.env.PLAN_RUNS ?? 400);

/** Apollo leaves `@` for indexes in paths it cannot tell, and tells of keys that nobody selected. */
const told = (errors: readonly GraphQLFormattedError[] = []) =>
  [
    ...new Set(
      errors.map(
        ({ message, extensions }) => `${String(extensions?.code).replace('DOWNSTREAM_SERVICE', 'INTERNAL_SERVER')} ${message}`,
      ),
    ),
  ].sort();

test('answers are those of Apollo, whatever the operation', async () => {
  const generated = operations(gateway.schema);
  await fc.assert(
    fc.asyncProperty(generated, async ({ text, variables }) => {
      fc.pre(validate(gateway.schema, parse(text)).length === 0);
      const [ours, theirs] = await Promise.all([ask(gateway, text, variables), apollo(text, variables)]);
      expect(ours.data).toEqual(theirs.data);
      // Where nothing is left, ours says why.
      if (theirs.errors || theirs.data !== null) expect(told(ours.errors)).toEqual(told(theirs.errors));
    }),
    { numRuns: runs, endOnFailure: true, ...(process.env.PLAN_SEED && { seed: Number(process.env.PLAN_SEED) }) },
  );
});
