import * as fc from 'fast-check';
import type { ExecutionArgs, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { execute, isInterfaceType, isObjectType, parse, validate } from 'graphql';
import { createGateway } from '../../gateway/gateway.ts';
import type { Source, SourceResult } from '../../schema/request.ts';
import type { Habits } from './support/any-operation.ts';
import { anyOperation } from './support/any-operation.ts';
import { ask, federate, plain } from './support/federation.ts';
import type { Mishaps } from './support/made-up.ts';
import { MadeUp } from './support/made-up.ts';
import type { Generated } from './support/operations.ts';
import type { Oracle } from './support/oracle.ts';
import { oracleOf } from './support/oracle.ts';
import { world } from './support/world.ts';

const { supergraph, schemas } = federate(world);
let made: MadeUp;

const sourceOf = (schema: GraphQLSchema): Source => ({
  async execute({ document, variables }) {
    const { data, errors } = await execute({ schema, document, variableValues: variables, ...made.subgraph });
    return plain({ data, errors: errors?.map((error) => error.toJSON()) }) as SourceResult;
  },
  subscribe: async () => ({}),
});
for (const [name, schema] of Object.entries(schemas)) {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const resolveReference = (reference: Record<string, unknown>) => made.resolveReference(name, reference);
    Object.assign(type.extensions, { apollo: { subgraph: { resolveReference } } });
  }
}
const sources = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, sourceOf(schema)]));
const gateway = createGateway({ supergraph, sources });
let apollo: Oracle;
beforeAll(async () => {
  apollo = await oracleOf({ supergraph, schemas }, () => made.subgraph);
});

const runs = Number(process.env.PLAN_RUNS ?? 1000);
// A long run is given all the time it takes.
const timeout = 600_000 * Math.ceil(runs / 1000);
// The same cases for everyone; `npm run fuzz:gateway` looks for others.
const seed = Number(process.env.PLAN_SEED ?? 1);

/** Check operations on data that is made anew for each of them. */
const whatever = (habits: Habits, mishaps: Mishaps, check: (operation: Generated) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(anyOperation(gateway.schema, habits), fc.nat(), async (operation, number) => {
      fc.pre(validate(gateway.schema, parse(operation.text)).length === 0);
      made = new MadeUp(supergraph, number, mishaps);
      await check(operation);
    }),
    // Shrinking would take minutes: the counterexample is a whole operation, to be cut down by hand.
    { numRuns: runs, endOnFailure: true, maxSkipsPerRun: 100, seed },
  );

const inOneSchema = async ({ text, variables }: Generated) => {
  const args: ExecutionArgs = { schema: gateway.schema, document: parse(text), variableValues: variables, ...made.one };
  return plain(await execute(args));
};

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
      // What a failed requirement makes of the field that has it is the business of its subgraph.
      fc.pre(!MadeUp.requiring.test(operation.text));
      const [ours, theirs] = [await ask(gateway, operation.text, operation.variables), await inOneSchema(operation)];
      expect(ours.data).toEqual(theirs.data);
      const told = (errors: readonly GraphQLFormattedError[] = []) => errors.map((error) => placed(error, theirs.data));
      expect(told(ours.errors)).toEqual(expect.arrayContaining(told(theirs.errors)));
    });
  },
  timeout,
);

test(
  'answers are those of Apollo, whatever goes wrong',
  async () => {
    const mishaps = { nulls: 10, wrongNulls: 3, errors: 3, missing: 6 };
    await whatever({ clashes: false, conditions: false }, mishaps, async ({ text, variables }) => {
      // Apollo's plans require the price of items of all types when it is needed for one, and lose the others.
      fc.pre(!text.includes('worth'));
      const [ours, theirs] = [await ask(gateway, text, variables), await apollo(text, variables)];
      expect(ours.data).toEqual(theirs.data);
      const told = (errors: readonly GraphQLFormattedError[] = []) => [...new Set(errors.map(({ message }) => message))].sort();
      // Where nothing is left, ours says why.
      if (!theirs.errors && theirs.data === null) return;
      expect(told(ours.errors)).toEqual(told(theirs.errors));
    });
  },
  timeout,
);

/** An error with its path up to the null that it left. */
function placed({ message, path = [] }: GraphQLFormattedError, data: unknown): string {
  let value = data;
  const place = path.filter((step) => {
    if (value === null || value === undefined) return false;
    value = (value as Record<string | number, unknown>)[step];
    return true;
  });
  return `${message} at ${place.join('.')}`;
}
