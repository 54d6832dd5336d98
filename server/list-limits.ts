import type { Operation } from 'compiled-gateway';
import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { constraintOf } from '../schema/directives.ts';
import { fail } from '../schema/errors.ts';

/** A list in the variables of an operation. */
interface List {
  variable: string;
  /** The keys from the value of the variable to the list. */
  path: readonly string[];
  name: string;
  maxItems: number;
}

/** Depth of input objects up to which lists are found. */
const DEPTH = 3;

/**
 * Refuse variables with too long lists before any of their elements is read. The subgraphs enforce the same limits, but only after they
 * have converted all elements, which takes a second of processor time for some 100,000.
 */
export function limitLists(
  operation: Operation,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  schema: GraphQLSchema,
): Operation {
  // Fragments of other operations may use a variable of the same name.
  const lists = listsOf(separateOperations(document)[definition.name?.value ?? '']!, schema);
  if (lists.length === 0) return operation;
  const limited =
    <Result>(run: (...given: Parameters<Operation['execute']>) => Promise<Result>): typeof run =>
    async (variables, context) => {
      const excess = lists.find((list) => sizeOf(list, variables) > list.maxItems);
      if (!excess) return run(variables, context);
      return { errors: [fail('INVALID_INPUT', `${excess.name} must have at most ${excess.maxItems} entries`)] } as Result;
    };
  const { executeInParts } = operation;
  return {
    execute: limited((variables, context) => operation.execute(variables, context)),
    executeInParts: executeInParts && limited(executeInParts),
    subscribe: (variables, context) => operation.subscribe(variables, context),
  };
}

function sizeOf({ variable, path }: List, variables: Readonly<Record<string, unknown>>): number {
  let value = variables[variable];
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return Array.isArray(value) ? value.length : 0;
}

function listsOf(document: DocumentNode, schema: GraphQLSchema): List[] {
  const lists: List[] = [];
  const types = new TypeInfo(schema);
  const add = (value: ValueNode, target: GraphQLArgument | GraphQLInputField | null | undefined) => {
    if (value.kind !== Kind.VARIABLE || !target) return;
    const variable = value.name.value;
    const { maxItems } = constraintOf(target) ?? {};
    if (maxItems !== undefined) lists.push({ variable, path: [], name: target.name, maxItems });
    for (const list of fieldsOf(target.type)) lists.push({ variable, ...list });
  };
  const visitor = visitWithTypeInfo(types, {
    Argument: ({ value }) => add(value, types.getArgument()),
    ObjectField({ name, value }) {
      const parent = getNamedType(types.getParentInputType());
      if (isInputObjectType(parent)) add(value, parent.getFields()[name.value]);
    },
  });
  visit(document, visitor);
  return lists;
}

function* fieldsOf(type: GraphQLInputType, path: string[] = []): Generator<Omit<List, 'variable'>> {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || path.length === DEPTH) return;
  for (const field of Object.values(named.getFields())) {
    const inner = [...path, field.name];
    const { maxItems } = constraintOf(field) ?? {};
    if (maxItems !== undefined) yield { path: inner, name: inner.join('.'), maxItems };
    yield* fieldsOf(field.type, inner);
  }
}
