import type { Source, SourceResult } from 'compiled-gateway';
import * as fc from 'fast-check';
import {
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { ask, federate, gatewayOf, plain, sourceOf } from '../support/federation.ts';
import { operations } from '../support/operations.ts';
import { shop } from '../support/shop.ts';

const federation = federate(shop);
const { schema } = gatewayOf(federation);

const runs = Number(process.env.PLAN_RUNS ?? 200);
const seed = Number(process.env.PLAN_SEED ?? 1);

/** Values that a subgraph returns instead of the expected ones. */
const wrong: readonly unknown[] = [
  null,
  undefined,
  0,
  1.5,
  '',
  'text',
  true,
  [],
  [null],
  [[]],
  {},
  { __typename: 'Query' },
  { __typename: 'Book' },
  { __typename: 7 },
  { __typename: 'toString', id: 'b1' },
];

/** Replace one random part of a result. */
function corrupt(result: SourceResult, random: (below: number) => number): SourceResult {
  const places: [object, string | number][] = [];
  const pick = () => structuredClone(wrong[random(wrong.length)]);
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      places.push([value, key]);
      visit(inner);
    }
  };
  const whole: { result: SourceResult } = { result: plain(result) };
  if (random(4) === 0) whole.result.errors = pick() as never;
  if (random(4) === 0) whole.result.errors = [{ message: 'No', path: pick() as never }, pick() as never];
  visit(whole);
  const [target, key] = places[random(places.length)]!;
  (target as Record<string | number, unknown>)[key] = pick();
  return whole.result;
}

/** The paths at which a response is not of the type that the schema promises. */
function* faultsIn(value: unknown, type: GraphQLOutputType, sets: readonly SelectionSetNode[], path: string): Generator<string> {
  if (isNonNullType(type) && value === null) yield `${path} is null`;
  if (value === null) return;
  const inner = getNullableType(type);
  if (isListType(inner)) {
    if (!Array.isArray(value)) return yield `${path} is no list`;
    for (const [at, each] of value.entries()) yield* faultsIn(each, inner.ofType, sets, `${path}.${at}`);
  } else if (isEnumType(inner)) {
    if (!inner.getValue(String(value))) yield `${path} is no value of ${inner.name}`;
  } else if (isObjectType(inner)) {
    if (typeof value !== 'object' || Array.isArray(value)) return yield `${path} is no object`;
    for (const selection of sets.flatMap(({ selections }) => selections)) {
      if (selection.kind !== 'Field' || selection.directives?.length) continue;
      const key = (selection.alias ?? selection.name).value;
      const field = inner.getFields()[selection.name.value];
      if (!(key in value)) yield `${path}.${key} is missing`;
      else if (field)
        yield* faultsIn(
          (value as Record<string, unknown>)[key],
          field.type,
          selection.selectionSet ? [selection.selectionSet] : [],
          `${path}.${key}`,
        );
    }
  }
}

test('the response has the form of the schema for any answer of a subgraph', async () => {
  await fc.assert(
    fc.asyncProperty(operations(schema), fc.infiniteStream(fc.nat(1_000_000)), async ({ text, variables }, numbers) => {
      const document = parse(text);
      fc.pre(validate(schema, document).length === 0);
      const random = (below: number) => (numbers.next().value as number) % below;
      const sources = Object.fromEntries(
        Object.entries(federation.schemas).map(([name, subgraph]): [string, Source] => {
          const source = sourceOf(subgraph);
          return [name, { ...source, execute: async (request) => corrupt(await source.execute(request), random) }];
        }),
      );
      const { data, errors } = await ask(gatewayOf(federation, { sources }), text, variables);
      const { operation, selectionSet } = document.definitions.find(
        (each) => each.kind === 'OperationDefinition',
      ) as OperationDefinitionNode;
      if (data) expect([...faultsIn(data, schema.getRootType(operation)!, [selectionSet], '')]).toEqual([]);
      for (const { message, path = [] } of errors ?? []) {
        expect(typeof message).toBe('string');
        expect(path.filter((step) => typeof step !== 'string' && !Number.isInteger(step))).toEqual([]);
      }
    }),
    { numRuns: runs, endOnFailure: true, seed },
  );
});
