import type { GraphQLSchema } from 'graphql';
import { fail } from '../../schema/errors.ts';
import type { RowOperation } from '../endpoint.ts';
import { type Components, idempotencyKeySchema, inputsOf, type JsonSchema, objectSchema } from '../openapi/inputs.ts';
import { payloadSchema } from '../openapi/names.ts';
import { enveloped } from '../openapi/responses.ts';
import type { Parts } from '../request/request-variables.ts';
import { CURSOR, envelopeOf, type FileLimits, megabytes, type Route } from '../route.ts';

/** Arguments that are no input of a row. */
export const ownArguments = { organization: 'organization', idempotencyKey: 'idempotency_key', wait: 'wait_seconds' } as const;

/** Seconds that a tool call waits for a stream. Clients of the SDK time out after 60 seconds without progress. */
const USUAL_WAIT = 50;
const MAX_WAIT = 600;

export type Arguments = Readonly<Record<string, unknown>>;

/** The arguments as the parts of a REST request: path parameters by name, and everything else in the body. */
export function partsOf(given: Arguments, params: readonly string[]): Parts {
  const own: readonly string[] = Object.values(ownArguments);
  const body: Record<string, unknown> = Object.create(null);
  const path: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (own.includes(name)) continue;
    if (!params.includes(name)) body[name] = value;
    else if (typeof value === 'string') path[name] = value;
    else throw fail('INVALID_INPUT', `${name} must be a string`);
  }
  return { params: path, query: {}, body: { ...body }, headers: {} };
}

/** Read an argument that is text. Throws `INVALID_INPUT`. */
export function readText(given: Arguments, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw fail('INVALID_INPUT', `${name} must be a string`);
  return value;
}

/** Read the milliseconds to wait for a stream. Throws `INVALID_INPUT`. */
export function readWait(given: Arguments): number {
  const value = given[ownArguments.wait] ?? USUAL_WAIT;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_WAIT) return value * 1_000;
  throw fail('INVALID_INPUT', `${ownArguments.wait} must be a whole number from 1 to ${MAX_WAIT}`);
}

const organization: JsonSchema = {
  type: 'string',
  description: 'Id or slug of the organization. Default: the organization of the key.',
};

const idempotencyKey: JsonSchema = {
  ...idempotencyKeySchema,
  description: 'A retry with the same key within 24 hours returns the first result and creates nothing.',
};

const wait: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_WAIT,
  default: USUAL_WAIT,
  description: 'Seconds to wait for the work, which continues after the wait.',
};

const cursor: JsonSchema = { type: ['string', 'null'], description: '`next` of the previous page.' };

/** The JSON Schema of the arguments of a tool: all inputs of its row by name, and the arguments that every tool may have. */
export function inputSchemaOf(route: Route, { operation }: RowOperation, schema: GraphQLSchema, isIdempotent: boolean): JsonSchema {
  const { row, surface } = route;
  const components: Components = {};
  const variables = inputsOf(route, operation, schema);
  const whole = variables.find(({ place }) => place === 'whole body');
  const own = objectSchema(
    variables.filter((each) => each !== whole && !(row.files && each.name === 'files')),
    components,
  ) as ObjectSchema;
  const body = whole ? resolved(objectSchema([whole], components).properties as Record<string, JsonSchema>, components) : {};
  const inputs = { ...own.properties, ...body.properties };
  const reserved = Object.values(ownArguments).find((name) => name in inputs);
  if (reserved) throw new Error(`${route.name}: tools reserve the argument ${reserved}`);
  const properties = {
    ...inputs,
    ...(row.files && { files: filesSchema(row.files) }),
    ...(row.reply === 'file' && { [CURSOR]: cursor }),
    ...(row.stream && { [ownArguments.wait]: wait }),
    ...(isIdempotent && { [ownArguments.idempotencyKey]: idempotencyKey }),
    ...(surface.organization && { [ownArguments.organization]: organization }),
  };
  const required = [...(own.required ?? []), ...(body.required ?? []), ...(row.files && !row.files.optional ? ['files'] : [])];
  const used = definitions({ properties }, components);
  return {
    type: 'object',
    properties: local(properties) as Record<string, JsonSchema>,
    ...(required.length > 0 && { required: [...new Set(required)] }),
    ...(Object.keys(used).length > 0 && { $defs: used }),
  };
}

interface ObjectSchema extends JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** The fields of the whole body. Free JSON has none. */
function resolved({ input }: Record<string, JsonSchema>, components: Components): ObjectSchema {
  const reference = (input?.$ref ?? (input?.anyOf as JsonSchema[] | undefined)?.[0]?.$ref) as string | undefined;
  return reference ? (components[nameOf(reference)] ?? {}) : {};
}

function filesSchema({ count, bytes, types, optional }: FileLimits): JsonSchema {
  const properties = {
    name: { type: 'string', maxLength: 255 },
    type: { type: 'string', enum: types, description: 'MIME type.' },
    content: { type: 'string', contentEncoding: 'base64', description: 'Content in base64.' },
  };
  return {
    type: 'array',
    items: { type: 'object', properties, required: ['name', 'type', 'content'] },
    ...(!optional && { minItems: 1 }),
    maxItems: count,
    description: `At most ${megabytes(bytes)} per file. The whole request is limited too; send large files over REST.`,
  };
}

const PLACE = '#/components/schemas/';
const nameOf = (reference: string) => reference.slice(PLACE.length);

/** The definitions that a schema refers to, directly or through others. */
function definitions(schema: unknown, components: Components, found: Components = {}): Components {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found[name!]) continue;
    const definition = components[name!]!;
    found[name!] = local(definition) as JsonSchema;
    definitions(definition, components, found);
  }
  return found;
}

/** The same schema with references to its own definitions. */
const local = (schema: object): unknown => JSON.parse(JSON.stringify(schema).replaceAll(`"${PLACE}`, '"#/$defs/'));

/** The JSON Schema of a result: the REST body of the row, one page of a file, or the summary of a stream. */
export function outputSchemaOf(route: Route, operation: RowOperation, schema: GraphQLSchema): JsonSchema {
  const { row } = route;
  const payload = payloadSchema(route, operation, schema);
  if (row.reply === 'file') return payload;
  if (!row.stream) return enveloped(payload, envelopeOf(route));
  const { [row.stream.data ?? '']: _, ...fields } = payload.properties as Record<string, JsonSchema>;
  const ended = { type: 'boolean', description: 'False if the time to wait was over first.' };
  const text = { type: 'string', description: 'The text so far.' };
  const properties = { ...fields, ...(row.stream.result?.text && { text }), ended };
  return { type: 'object', properties, required: ['ended'] };
}
