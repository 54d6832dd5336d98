import * as fc from 'fast-check';
import type { GraphQLFormattedError } from 'graphql';
import { ask } from '../support/federation.ts';
import { gateway, inOneSchema, placed, startApollo, timeout, whatever } from '../support/generated.ts';
import { MadeUp } from '../support/generated-data.ts';
import type { Oracle } from '../support/oracle.ts';

let apollo: Oracle;
beforeAll(async () => {
  apollo = await startApollo();
});

test(
  'a graph in parts answers as one schema would, whatever is selected under whatever name',
  async () => {
    const mishaps = { nulls: 10, wrongNulls: 0, errors: 0, missing: 0 };
    await whatever({ clashes: true, conditions: true }, mishaps, async (operation) => {
      expect(await ask(gateway, operation.text, operation.variables)).toEqual(await inOneSchema(operation));
    });
  },
  timeout,
);

test(
  'errors are where one schema would have them',
  async () => {
    const mishaps = { nulls: 10, wrongNulls: 0, errors: 6, missing: 0 };
    await whatever({ clashes: true, conditions: true }, mishaps, async (operation) => {
      // A failed requirement has a subgraph-specific result.
      fc.pre(!MadeUp.requiring.test(operation.text));
      const [ours, theirs] = [await ask(gateway, operation.text, operation.variables), await inOneSchema(operation)];
      expect(ours.data).toEqual(theirs.data);
      expect(placed(ours.errors, theirs.data)).toEqual(expect.arrayContaining(placed(theirs.errors, theirs.data)));
    });
  },
  timeout,
);

test(
  'answers are those of Apollo, whatever goes wrong',
  async () => {
    const mishaps = { nulls: 10, wrongNulls: 3, errors: 3, missing: 6 };
    await whatever({ clashes: false, conditions: false }, mishaps, async ({ text, variables }) => {
      // Apollo's plans require the price of all item types if one needs it, and drop the others.
      fc.pre(!text.includes('worth'));
      const [ours, theirs] = [await ask(gateway, text, variables), await apollo(text, variables)];
      expect(ours.data).toEqual(theirs.data);
      const told = (errors: readonly GraphQLFormattedError[] = []) => [...new Set(errors.map(({ message }) => message))].sort();
      // This gateway adds an error if no field remains.
      if (!theirs.errors && theirs.data === null) return;
      expect(told(ours.errors)).toEqual(told(theirs.errors));
    });
  },
  timeout,
);
