import type { GraphQLInputObjectType, GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { isInputObjectType, isListType, isNonNullType, typeFromAST } from 'graphql';
import { fail } from '../schema/errors.ts';
import { isObject } from '../schema/json.ts';
import { type Read, urlReader } from './coerce.ts';

/** The three parts of a request that fill variables. */
export interface Parts {
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
}

type Fill = (parts: Parts & { body: object }) => unknown;

/** The variable that takes the whole body. */
export const WHOLE_BODY = 'input';

const absent = Symbol('absent');

/**
 * Fills the variables of an operation by name: from the path, else the query string, else the body; one called `input` takes
 * the whole body. What does not read as its type is passed on for GraphQL to refuse.
 */
export function variableReader(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  params: readonly string[],
): (parts: Parts) => Record<string, unknown> {
  const fills = (operation.variableDefinitions ?? []).map(({ variable: { name }, type }): [string, Fill] => [
    name.value,
    fillVariable(name.value, typeFromAST(schema, type) as GraphQLInputType),
  ]);
  const readsBody = fills.some(([name]) => !params.includes(name));

  return ({ params, query, body = {} }) => {
    if (!isObject(body)) {
      if (readsBody) throw fail('INVALID_INPUT', 'the body must be a JSON object');
      body = {};
    }
    const parts = { params, query, body: body as object };
    const variables: Record<string, unknown> = {};
    for (const [name, fill] of fills) {
      const value = fill(parts);
      if (value !== absent) variables[name] = value;
    }
    return variables;
  };
}

function fillVariable(name: string, type: GraphQLInputType): Fill {
  const fromText = urlReader(type);
  const fromBody = bodyReader(type);
  if (name === WHOLE_BODY) return ({ body }) => fromBody(body);
  return ({ params, query, body }) => {
    if (Object.hasOwn(params, name)) return fromText(printable(name, params[name]));
    if (Object.hasOwn(query, name)) return fromText(query[name]);
    return Object.hasOwn(body, name) ? fromBody((body as Record<string, unknown>)[name]) : absent;
  };
}

function printable(name: string, value: unknown): unknown {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (typeof value === 'string' && /[\0-\x1f\x7f]/.test(value))
    throw fail('INVALID_INPUT', `${name} must not hold control characters`);
  return value;
}

const untouched: Read = (value) => value;

/** In the place of what GraphQL would read as something else (one value as a list of one, a number as an id): it is refused by its path. */
const misfit = false;

/** Drops the keys that an input type does not know, at any depth: callers may send more than is documented. */
function bodyReader(type: GraphQLInputType, known = new Map<GraphQLInputObjectType, Read>()): Read {
  if (isNonNullType(type)) return bodyReader(type.ofType, known);
  if (isListType(type)) {
    const each = bodyReader(type.ofType, known);
    const read: Read = each === untouched ? untouched : (value) => (value as unknown[]).map(each);
    return (value) => (Array.isArray(value) ? read(value) : value === null ? null : misfit);
  }
  if (isInputObjectType(type)) return known.get(type) ?? mapReader(type, known);
  return type.name === 'ID' ? (value) => (typeof value === 'number' ? misfit : value) : untouched;
}

function mapReader(type: GraphQLInputObjectType, known: Map<GraphQLInputObjectType, Read>): Read {
  const fields: [string, Read][] = [];
  const read: Read = (value) => {
    if (!isObject(value)) return value;
    const kept: Record<string, unknown> = {};
    for (const [name, readField] of fields) if (Object.hasOwn(value, name)) kept[name] = readField(value[name]);
    return kept;
  };
  // Known before its fields are looked at, because a type may hold itself.
  known.set(type, read);
  for (const field of Object.values(type.getFields())) fields.push([field.name, bodyReader(field.type, known)]);
  return read;
}
