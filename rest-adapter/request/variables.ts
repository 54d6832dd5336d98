import type { GraphQLInputObjectType, GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { isInputObjectType, isListType, isNonNullType, typeFromAST } from 'graphql';
import { fail } from '../../schema/errors.ts';
import { isObject } from '../../schema/json.ts';
import { hasControlCharacters } from '../../schema/text.ts';
import { type Read, urlReader } from './coerce.ts';

/** The parts of a request that fill variables. */
export interface Parts {
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  headers: Readonly<Record<string, unknown>>;
}

type Fill = (parts: Parts & { body: object }) => unknown;

/** The variable that receives the whole body. */
export const WHOLE_BODY = 'input';

const absent = Symbol('absent');

/**
 * Create a function that fills the variables of an operation by name: from the path, else the query string, else the body. The
 * variable `input` receives the whole body. Values of the wrong type are passed on, so that GraphQL rejects them.
 * @param headerVariables the request headers that fill absent variables
 */
export function variableReader(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  params: readonly string[],
  headerVariables: Readonly<Record<string, string>> = {},
): (parts: Parts) => Record<string, unknown> {
  const fills = (operation.variableDefinitions ?? []).map(({ variable: { name }, type }): [string, Fill] => [
    name.value,
    fillVariable(name.value, typeFromAST(schema, type) as GraphQLInputType, headerVariables[name.value]),
  ]);
  const readsBody = fills.some(([name]) => !params.includes(name));

  return ({ params, query, headers, body = {} }) => {
    if (!isObject(body)) {
      if (readsBody) throw fail('INVALID_INPUT', 'the body must be a JSON object');
      body = {};
    }
    const parts = { params, query, headers, body: body as object };
    const variables: Record<string, unknown> = {};
    for (const [name, fill] of fills) {
      const value = fill(parts);
      if (value !== absent) variables[name] = value;
    }
    return variables;
  };
}

function fillVariable(name: string, type: GraphQLInputType, header?: string): Fill {
  const fromText = urlReader(type);
  const fromBody = bodyReader(type);
  if (name === WHOLE_BODY) return ({ body }) => fromBody(body);
  return ({ params, query, body, headers }) => {
    if (Object.hasOwn(params, name)) return fromText(printable(name, params[name]));
    if (Object.hasOwn(query, name)) return fromText(query[name]);
    if (Object.hasOwn(body, name)) return fromBody((body as Record<string, unknown>)[name]);
    return header !== undefined && headers[header] !== undefined ? fromText(headers[header]) : absent;
  };
}

function printable(name: string, value: unknown): unknown {
  if (typeof value === 'string' && hasControlCharacters(value))
    throw fail('INVALID_INPUT', `${name} must not hold control characters`);
  return value;
}

const unchanged: Read = (value) => value;

/** Replaces a value that GraphQL would silently coerce (a single value to a list, a number to an ID), so that it is rejected. */
const INVALID = false;

/** Create a reader that drops unknown keys of input objects at any depth, because the contract ignores undocumented keys. */
function bodyReader(type: GraphQLInputType, known = new Map<GraphQLInputObjectType, Read>()): Read {
  if (isNonNullType(type)) return bodyReader(type.ofType, known);
  if (isListType(type)) {
    const each = bodyReader(type.ofType, known);
    const read: Read = each === unchanged ? unchanged : (value) => (value as unknown[]).map(each);
    return (value) => (Array.isArray(value) ? read(value) : value === null ? null : INVALID);
  }
  if (isInputObjectType(type)) return known.get(type) ?? mapReader(type, known);
  return type.name === 'ID' ? (value) => (typeof value === 'number' ? INVALID : value) : unchanged;
}

function mapReader(type: GraphQLInputObjectType, known: Map<GraphQLInputObjectType, Read>): Read {
  const fields: [string, Read][] = [];
  const read: Read = (value) => {
    if (!isObject(value)) return value;
    const object: Record<string, unknown> = {};
    for (const [name, readField] of fields) if (Object.hasOwn(value, name)) object[name] = readField(value[name]);
    return object;
  };
  // Register the reader before its fields, because the type may be recursive.
  known.set(type, read);
  for (const field of Object.values(type.getFields())) fields.push([field.name, bodyReader(field.type, known)]);
  return read;
}
