import type { Operation } from 'compiled-gateway';
import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { constraintOf } from '../schema/constraint.ts';
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
export function limitLists(operation: Operation, definition: OperationDefinitionNode, schema: GraphQLSchema): Operation {
  const lists = listsOf(definition, schema);
  if (lists.length === 0) return operation;
  return {
    async execute(variables, context) {
      const excess = lists.find((list) => sizeOf(list, variables) > list.maxItems);
      if (!excess) return operation.execute(variables, context);
      return { errors: [fail('INVALID_INPUT', `${excess.name} must have at most ${excess.maxItems} entries`)] };
    },
    subscribe: (variables, context) => operation.subscribe(variables, context),
  };
}

function sizeOf({ variable, path }: List, variables: Readonly<Record<string, unknown>>): number {
  let value = variables[variable];
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return Array.isArray(value) ? value.length : 0;
}

function listsOf(definition: OperationDefinitionNode, schema: GraphQLSchema): List[] {
  const lists: List[] = [];
  const types = new TypeInfo(schema);
  const Argument = ({ value }: { value: { kind: Kind; name?: { value: string } } }) => {
    const argument = types.getArgument();
    if (value.kind !== Kind.VARIABLE || !argument) return;
    const variable = value.name!.value;
    const { maxItems } = constraintOf(argument) ?? {};
    if (maxItems !== undefined) lists.push({ variable, path: [], name: argument.name, maxItems });
    for (const list of fieldsOf(argument.type)) lists.push({ variable, ...list });
  };
  visit(definition, visitWithTypeInfo(types, { Argument }));
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
