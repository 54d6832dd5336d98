import type { IncomingMessage } from 'node:http';
import type { preParsingHookHandler } from 'fastify';
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { fail } from '../../schema/errors.ts';
import { isObject, type JsonObject } from '../../schema/json.ts';
import { hasControlCharacters } from '../../schema/text.ts';
import { hasDuplicateKeys, isEncoded, measureJson } from '../../server/input-limits.ts';
import type { Route } from '../route.ts';

const MAX_DEPTH = 64;

/** Faults of a body that is no JSON text. */
export const unreadableBody = { encoding: 'the body is not UTF-8 text', syntax: 'the body is not valid JSON' } as const;

// Keep a byte order mark, so that the JSON parser rejects it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parse a request body. An empty body is an empty object, regardless of its content type. */
export function readBody(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) return {};
  if (contentType && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    throw fail('INVALID_INPUT', 'the content type must be application/json');
  }
  const text = decode(bytes);
  const { depth, members } = measureJson(text);
  // Check the depth before parsing, because later code is recursive.
  if (depth > MAX_DEPTH) throw fail('INVALID_INPUT', `the body is nested more than ${MAX_DEPTH} levels deep`);
  const value = parse(text);
  if (hasDuplicateKeys(value, members)) throw fail('INVALID_INPUT', 'the body has a duplicate key in an object');
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw fail('INVALID_INPUT', unreadableBody.encoding);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail('INVALID_INPUT', unreadableBody.syntax);
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route reads no body. */
    ignoresBody?: boolean;
  }
}

/** A `preParsing` hook that rejects compressed bodies. */
export const refuseEncoded: preParsingHookHandler = ({ headers, raw, routeOptions }, _reply, payload, done) => {
  if (isEncoded(headers) && hasBody(raw) && !routeOptions.config.ignoresBody)
    return done(fail('INVALID_INPUT', 'the body must not have a content encoding'));
  done(null, payload);
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The parts of a request that fill variables. */
export interface Parts {
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  headers: Readonly<Record<string, unknown>>;
}

/** The variable that receives the whole body. */
export const WHOLE_BODY = 'input';

/** The response header that names unknown parameters, which the contract ignores. */
export const UNKNOWN_PARAMETERS = 'x-unknown-parameters';

/** Names in one header, and the characters of each. */
const MAX_NAMES = 10;
const MAX_LENGTH = 64;

/** Collects the names of unknown parameters with their paths (`products.skuu`): at most ten, and never a value. */
export class UnknownNames {
  readonly #found = new Set<string>();

  add(name: string): void {
    if (this.#found.size < MAX_NAMES) this.#found.add(name);
  }

  /** The names with the characters of a header, separated by commas; undefined without any. */
  toHeader(): string | undefined {
    if (this.#found.size === 0) return undefined;
    return [...this.#found].map((name) => encodeURIComponent(name.slice(0, MAX_LENGTH).toWellFormed())).join(',');
  }
}

/** Fills the variables of an operation from a request, and collects the unknown parameters of its query and body. */
export type ReadVariables = (parts: Parts, unknown?: UnknownNames) => Record<string, unknown>;

type Fill = (parts: Parts & { body: JsonObject }, unknown: UnknownNames | undefined) => unknown;

const absent = Symbol('absent');

/**
 * Create a function that fills the variables of an operation by name: from the path, else the query string, else the body, else
 * the header that the row names. The variable `input` receives the whole body. Values of the wrong type are passed on, so that GraphQL
 * rejects them.
 */
export function variableReader(
  { surface, row, action, params: inPath }: Route,
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): ReadVariables {
  const types = new Map(
    (operation.variableDefinitions ?? []).map(({ variable, type }) => [
      variable.name.value,
      typeFromAST(schema, type) as GraphQLInputType,
    ]),
  );
  const readers: BodyReaders = new Map();
  const whole = getNullableType(types.get(WHOLE_BODY));
  const wholeFields = isInputObjectType(whole) ? fieldReaders(whole, readers) : undefined;
  const fills = [...types].map(([name, type]): [string, Fill] => [
    name,
    name === WHOLE_BODY ? wholeBody(wholeFields) : fillVariable(name, type, readers, row.headerVariables?.[name]),
  ]);
  const variables = [...types.keys()].filter((name) => name !== WHOLE_BODY);
  const inQuery = new Set([...variables, ...(surface.organization === 'query' ? ['organization'] : [])]);
  const inBody = new Set([
    ...variables,
    ...(wholeFields?.keys() ?? []),
    ...(action === undefined ? [] : ['action']),
    ...(row.files ? ['files'] : []),
  ]);
  const takesAny = whole !== undefined && !wholeFields;
  const readsBody = fills.some(([name]) => !inPath.includes(name));

  return ({ params, query, headers, body = {} }, unknown) => {
    if (unknown) for (const name of Object.keys(query)) if (!inQuery.has(name)) unknown.add(name);
    if (!isObject(body)) {
      if (readsBody) throw fail('INVALID_INPUT', 'the body must be a JSON object');
      body = {};
    }
    const parts = { params, query, headers, body: body as JsonObject };
    if (unknown && !takesAny) for (const name of Object.keys(parts.body)) if (!inBody.has(name)) unknown.add(name);
    const filled: Record<string, unknown> = {};
    for (const [name, fill] of fills) {
      const value = fill(parts, unknown);
      if (value !== absent) filled[name] = value;
    }
    return filled;
  };
}

function fillVariable(name: string, type: GraphQLInputType, readers: BodyReaders, header: string | undefined): Fill {
  const fromText = urlReader(type);
  const fromBody = bodyReader(type, readers);
  return ({ params, query, body, headers }, unknown) => {
    if (Object.hasOwn(params, name)) return fromText(printable(name, params[name]));
    if (Object.hasOwn(query, name)) return fromText(query[name]);
    if (Object.hasOwn(body, name)) return fromBody(body[name], unknown, `${name}.`);
    return header !== undefined && headers[header] !== undefined ? fromText(headers[header]) : absent;
  };
}

/** Select the fields of the variable `input`, because the body may contain other variables too. Without fields, any object is accepted. */
const wholeBody =
  (fields: FieldReaders | undefined): Fill =>
  ({ body }, unknown) => {
    if (!fields) return body;
    const object: JsonObject = {};
    for (const name of Object.keys(body)) {
      const read = fields.get(name);
      if (read) object[name] = read(body[name], unknown, `${name}.`);
    }
    return object;
  };

function printable(name: string, value: unknown): unknown {
  if (typeof value === 'string' && hasControlCharacters(value))
    throw fail('INVALID_INPUT', `${name} must not contain control characters`);
  return value;
}

/** Reads a value of a body. `path` is the path of its parts and ends with a dot. */
type BodyReader = (value: unknown, unknown: UnknownNames | undefined, path: string) => unknown;
type FieldReaders = ReadonlyMap<string, BodyReader>;
/** Readers by type, because types may be recursive. */
type BodyReaders = Map<GraphQLInputType, BodyReader>;

const unchanged: BodyReader = (value) => value;

/** Replaces a value that GraphQL would silently coerce (a single value to a list, a number to an ID), so that it is rejected. */
const INVALID = false;

/** Create a reader that drops the unknown keys of input objects at any depth, because the contract ignores undocumented keys. */
function bodyReader(type: GraphQLInputType, known: BodyReaders): BodyReader {
  if (isNonNullType(type)) return bodyReader(type.ofType, known);
  if (isListType(type)) {
    const each = bodyReader(type.ofType, known);
    return (value, unknown, path) => {
      if (!Array.isArray(value)) return value === null ? null : INVALID;
      return each === unchanged ? value : value.map((item) => each(item, unknown, path));
    };
  }
  if (isInputObjectType(type)) return known.get(type) ?? objectReader(type, known);
  return type.name === 'ID' ? (value) => (typeof value === 'number' ? INVALID : value) : unchanged;
}

function objectReader(type: GraphQLInputObjectType, known: BodyReaders): BodyReader {
  let compiled: FieldReaders | undefined;
  const read: BodyReader = (value, unknown, path) => {
    if (!isObject(value)) return value;
    compiled ??= fieldReaders(type, known);
    const fields = compiled;
    const object: JsonObject = {};
    for (const name of Object.keys(value)) {
      const readField = fields.get(name);
      if (readField) object[name] = readField === unchanged ? value[name] : readField(value[name], unknown, `${path}${name}.`);
      else unknown?.add(path + name);
    }
    return object;
  };
  known.set(type, read);
  return read;
}

const fieldReaders = (type: GraphQLInputObjectType, known: BodyReaders): FieldReaders =>
  new Map(Object.values(type.getFields()).map((field) => [field.name, bodyReader(field.type, known)]));

/** Converts text to a value of a GraphQL type. Invalid text stays text, so that GraphQL rejects it. */
export type Read = (value: unknown) => unknown;

function withoutNul(text: string): string {
  return text.includes('\0') ? '' : text;
}

const scalars: Record<string, (text: string) => unknown> = {
  Int: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  Float: (text) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text),
  Boolean: (text) => ({ true: true, false: false })[text] ?? text,
  // These scalars ignore invalid text, but the gateway would reject this character.
  Since: withoutNul,
  ListLimit: withoutNul,
};

const readScalar = (name: string, value: unknown): unknown =>
  typeof value === 'string' ? (scalars[name]?.(value) ?? value) : value;

/** Create a reader of a path or query parameter. A list repeats the parameter or separates items by commas. */
export function urlReader(given: GraphQLInputType): Read {
  const type = getNullableType(given);
  if (!isListType(type)) return (value) => readScalar(String(type), value);
  const item = String(getNullableType(type.ofType));
  return (value) =>
    [value]
      .flat()
      .flatMap((text) => String(text).split(','))
      .filter(Boolean)
      .map((text) => readScalar(item, text));
}

/** Create a reader of a form field. A list repeats the field or is JSON; an object has keys in brackets or is JSON. */
export function formReader(given: GraphQLInputType): Read {
  const type = getNullableType(given);
  if (isListType(type)) {
    const item = formReader(type.ofType);
    return (value) => [parseJson(value, '[')].flat().map(item);
  }
  if (!isInputObjectType(type)) {
    // Empty text is the only way to express null in a form.
    const empty = type === given && type.name === 'ID' ? null : '';
    return (value) => (value === '' ? empty : readScalar(type.name, value));
  }
  return (value) => {
    const object = parseJson(value, '{');
    if (!isObject(object)) return object;
    const fields = type.getFields();
    return Object.fromEntries(
      Object.entries(object).map(([name, each]) => [
        name,
        Object.hasOwn(fields, name) ? formReader(fields[name]!.type)(each) : each,
      ]),
    );
  };
}

/** Parse text that starts with this bracket as JSON. Other values and invalid JSON are returned unchanged. */
function parseJson(value: unknown, opening: '[' | '{'): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith(opening)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
