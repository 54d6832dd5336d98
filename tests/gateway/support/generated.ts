import type { Source, SourceRequest, SourceResult } from 'compiled-gateway';
import * as fc from 'fast-check';
import type { ExecutionArgs, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { buildSchema, execute, isInterfaceType, isObjectType, parse, printSchema, validate } from 'graphql';
import { createGateway } from '../../../gateway/compiled-gateway.ts';
import type { Habits } from './any-operation.ts';
import { anyOperation } from './any-operation.ts';
import { type AnswerInParts, federate, plain } from './federation.ts';
import type { Mishaps } from './generated-data.ts';
import { MadeUp } from './generated-data.ts';
import { executeInParts, incrementalSchemaOf } from './incremental.ts';
import type { Generated } from './operations.ts';
import { oracleOf } from './oracle.ts';
import { world } from './world.ts';

const { supergraph, schemas } = federate(world);
const full = buildSchema(supergraph, { assumeValid: true });
let made: MadeUp;

const sourceOf = (schema: GraphQLSchema): Source => {
  const answer = async ({ document, variables }: SourceRequest) => {
    const { data, errors } = await execute({ schema, document, variableValues: variables, ...made.subgraph });
    return plain({ data, errors: errors?.map((error) => error.toJSON()) }) as SourceResult;
  };
  return {
    execute: answer,
    // One event, which equals the result of a query.
    async subscribe(request) {
      return (async function* () {
        yield await answer(request);
      })();
    },
  };
};
for (const [name, schema] of Object.entries(schemas)) {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const resolveReference = (reference: Record<string, unknown>) => made.resolveReference(name, reference);
    Object.assign(type.extensions, { apollo: { subgraph: { resolveReference } } });
  }
}
const sources = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, sourceOf(schema)]));

/** A gateway for the schema of `world.ts` with the latest generated data. */
export const gateway = createGateway({ supergraph, sources });

/** Apollo's gateway for the same subgraphs. */
export const startApollo = () => oracleOf({ supergraph, schemas }, () => made.subgraph);

const runs = Number(process.env.PLAN_RUNS ?? 300);
// A fixed seed makes runs reproducible; `npm run fuzz:gateway` runs more, with new seeds.
const seed = Number(process.env.PLAN_SEED ?? 1);

/** Long runs have no timeout. */
export const timeout = 600_000 * Math.ceil(runs / 1000);

// The first error decides, so validation stops there.
const isValid = (text: string) => validate(gateway.schema, parse(text), undefined, { maxErrors: 1 }).length === 0;

/** Generate the data that the subgraphs answer with. */
export const makeData = (number: number, mishaps: Mishaps): void => {
  made = new MadeUp(full, number, mishaps);
};

/** Check operations, each with newly generated data. */
export const whatever = (habits: Habits, mishaps: Mishaps, check: (operation: Generated) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(anyOperation(gateway.schema, habits), fc.nat(), async (operation, number) => {
      fc.pre(isValid(operation.text));
      makeData(number, mishaps);
      await check(operation);
    }),
    // Shrinking would take minutes; reduce the counterexample manually.
    { numRuns: runs, endOnFailure: true, maxSkipsPerRun: 100, seed },
  );

/** The result of the monolithic schema; for a subscription, of each event. */
export async function inOneSchema({ text, variables }: Generated): Promise<SourceResult> {
  const args: ExecutionArgs = { schema: gateway.schema, document: parse(text), variableValues: variables, ...made.one };
  return plain(await execute(args)) as SourceResult;
}

const incremental = incrementalSchemaOf(printSchema(gateway.schema));

/** The result of the monolithic schema in parts. */
export const inPartsOfOneSchema = ({ text, variables }: Generated): Promise<AnswerInParts> =>
  executeInParts({ schema: incremental, text, variables, ...made.one });

/** Errors with their paths up to the null. */
export const placed = (errors: readonly GraphQLFormattedError[] = [], data: unknown) => errors.map((error) => place(error, data));

function place({ message, path = [] }: GraphQLFormattedError, data: unknown): string {
  let value = data;
  const at = path.filter((step) => {
    if (value === null || value === undefined) return false;
    value = (value as Record<string | number, unknown>)[step];
    return true;
  });
  return `${message} at ${at.join('.')}`;
}
