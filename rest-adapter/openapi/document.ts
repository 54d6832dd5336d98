import type { GraphQLSchema } from 'graphql';
import { type ErrorCode, errors } from '../../schema/errors.ts';
import { type RowOperation, readOperation } from '../endpoint.ts';
import { type FileLimits, groupByPath, megabytes, type Route, requirementOf, routes, type Table } from '../route.ts';
import { introductions, keySchemes, type Surface } from '../surfaces.ts';
import { joinActions } from './actions.ts';
import {
  type Components,
  described,
  type Input,
  idempotencyKeySchema,
  inputSchema,
  inputsOf,
  isRequired,
  type JsonSchema,
  objectSchema,
} from './inputs.ts';
import { operationIds, payloadSchema, refer, resultName, schemaNames, sharedId } from './names.ts';
import {
  emptyResponse,
  failureName,
  failureResponses,
  failureSchema,
  hasEntityTag,
  notModified,
  successResponse,
} from './responses.ts';
import { webhooksOf } from './webhook-requests.ts';

export interface OpenApiOptions {
  tables: readonly Table[];
  schema: GraphQLSchema;
  listener: Surface['listener'];
  version: string;
  publicUrl?: string;
  /** Names of mutations that support `Idempotency-Key`. */
  idempotent?: readonly string[];
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, JsonSchema>>;
  webhooks: Record<string, JsonSchema>;
  components: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
}

/** Create the OpenAPI document of one listener. The output is deterministic. */
export function openApiDocument({
  tables,
  schema,
  listener,
  version,
  publicUrl,
  idempotent = [],
}: OpenApiOptions): OpenApiDocument {
  const served = tables.filter(({ surface }) => surface.listener === listener);
  const surfaces = [...new Set(served.map(({ surface }) => surface))];
  const all = served.flatMap(routes);
  const ids = operationIds(all, schema);
  const components: Components = {};
  const paths: OpenApiDocument['paths'] = {};
  const describe = (route: Route) => describeRoute(route, ids.get(route)!, schema, components, idempotent);
  // An item of a list has the plain name of its type, so that lists come first.
  for (const route of all) if (ids.get(route)!.startsWith('list')) describe(route);
  for (const samePath of groupByPath(all, (route) => route)) {
    const [first] = samePath as [Route, ...Route[]];
    const { path, method, action } = first;
    const operations = samePath.map((route) => ({ action: route.action, operation: describe(route) }));
    const id = action === undefined ? {} : { operationId: sharedId(first) };
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...joinActions(operations), ...id } };
  }
  const failures = Object.fromEntries(surfaces.map(({ name, failure }) => [failureName(name), failureSchema(failure)]));
  const schemes = new Set(surfaces.flatMap(({ keys }) => keys));
  return {
    openapi: '3.1.0',
    info: { ...introductions[listener], version },
    servers: [{ url: publicUrl ?? '/' }],
    tags: surfaces.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    webhooks: webhooksOf(surfaces),
    components: {
      schemas: { ...components, ...failures },
      headers,
      securitySchemes: Object.fromEntries([...schemes].map((name) => [name, keySchemes[name].documented])),
    },
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A retry with the same key within 24 hours returns the first response and creates nothing. One-time secrets are then null.',
  schema: idempotencyKeySchema,
};
const visitorTokenOf = ({ visitorToken }: Surface): JsonSchema[] =>
  visitorToken
    ? [
        {
          name: visitorToken.header,
          in: 'header',
          required: false,
          description: visitorToken.description,
          schema: { type: 'string', maxLength: 8_000 },
        },
      ]
    : [];
const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'Entity tags of earlier responses, comma-separated. If the body still has one of them, the response is an empty 304.',
  schema: { type: 'string' },
};
/** Errors of a request with an `Idempotency-Key`: the first is still running, or the key was used with another body. */
const idempotencyErrors: ErrorCode[] = ['CONFLICT', 'UNPROCESSABLE'];

const STORAGE_ERRORS: ErrorCode[] = ['STORAGE_FULL'];
/** Operations whose rows count against the storage quota. */
const STORING = /^(create|update|upload|submit|add|reply|finalize|chat$|widgetChat$)/;

const whole = { type: 'integer' };
const headers = {
  'X-RateLimit-Limit': { description: 'Maximum requests per minute.', schema: whole },
  'X-RateLimit-Remaining': { description: 'Remaining requests in the current window.', schema: whole },
  'X-RateLimit-Reset': { description: 'End of the current window, in Unix seconds.', schema: whole },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: whole },
  'X-Error-Code': {
    description: 'The code of the error. `NO_ACCESS`: the user of the key is not a member of the organization, or there is none.',
    schema: { type: 'string', enum: Object.keys(errors) },
  },
  'X-Unknown-Parameters': {
    description:
      'Names of parameters that the request sent and the endpoint ignored: at most ten, percent-encoded, comma-separated.',
    schema: { type: 'string' },
  },
};

function describeRoute(
  route: Route,
  operationId: string,
  schema: GraphQLSchema,
  components: Components,
  idempotent: readonly string[],
): JsonSchema {
  const { row, surface } = route;
  const rowOperation = readOperation(route, schema);
  const { operation, root } = rowOperation;
  const inputs = inputsOf(route, operation, schema);
  const isPublic = requirementOf(route).access === 'public';
  const repeatable = operation.operation === 'mutation' && idempotent.includes(root.name.value);
  const parameters = [
    ...parametersOf(route, inputs, components),
    ...(hasEntityTag(route) ? [ifNoneMatch] : []),
    ...(repeatable ? [idempotencyKey] : []),
    ...visitorTokenOf(surface),
  ];
  const names = schemaNames(rowOperation, operationId, components);
  const payload = payloadSchema(route, rowOperation, schema, names);
  return {
    operationId,
    tags: [surface.tag],
    summary: row.summary,
    ...described([row.description, pagingNote(rowOperation, schema)].filter(Boolean).join(' ')),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(route, inputs, components),
    responses: {
      [row.status ?? 200]: successResponse(route, payload, (result) =>
        result.type === 'object' ? refer([resultName(operationId)], result, components) : result,
      ),
      ...(hasEntityTag(route) && { 304: notModified }),
      ...(row.stream?.none && { 204: emptyResponse(row.stream.none) }),
      ...failureResponses(route, [
        ...(repeatable ? idempotencyErrors : []),
        ...(STORING.test(root.name.value) ? STORAGE_ERRORS : []),
      ]),
    },
    security: isPublic ? [] : surface.keys.map((key) => ({ [key]: [] })),
  };
}

/** The limit of pages, for the description of a list that is read by them. */
function pagingNote({ operation, root }: RowOperation, schema: GraphQLSchema): string {
  const args =
    schema
      .getRootType(operation.operation)
      ?.getFields()
      [root.name.value]?.args.map(({ name }) => name) ?? [];
  if (!args.includes('page')) return '';
  const stable = args.includes('after')
    ? ` To read the whole list, use \`${root.name.value}\` of \`/graphql\` with the cursor \`after\`.`
    : '';
  return `Each request computes its page anew: while rows are inserted or deleted, a row can be on two pages or on none.${stable}`;
}

function parametersOf({ params, row, surface }: Route, inputs: Input[], components: Components): JsonSchema[] {
  const { example } = row;
  const named = { description: 'Id or slug of the organization.', schema: { type: 'string' } };
  const organization: JsonSchema[] =
    surface.organization === 'path'
      ? [{ name: 'organization', in: 'path', required: true, ...named, example: example.params?.organization ?? 'acme' }]
      : [];
  const inPath = params
    .flatMap((name) => inputs.filter((each) => each.name === name))
    .map((each) => parameter(each, 'path', components, example.params));
  const inQuery = inputs
    .filter(({ place }) => place === 'query')
    .map((each) => parameter(each, 'query', components, example.query));
  const inHeader = inputs
    .filter(({ place }) => place === 'header')
    .map((each) => ({ ...parameter(each, 'header', components), name: each.header }));
  const inQueryOrganization =
    surface.organization === 'query' ? [{ name: 'organization', in: 'query', required: false, ...named }] : [];
  return [...organization, ...inPath, ...inQuery, ...inHeader, ...inQueryOrganization];
}

function parameter(
  input: Input,
  place: 'path' | 'query' | 'header',
  components: Components,
  examples: Record<string, string> = {},
): JsonSchema {
  const { description, ...schema } = inputSchema(input, components);
  const example = Object.hasOwn(examples, input.name) ? { example: typed(examples[input.name]!, schema) } : {};
  return {
    name: input.name,
    in: place,
    required: place === 'path' || isRequired(input),
    ...(description !== undefined && { description }),
    schema: withoutNull(schema),
    ...example,
  };
}

/** Parameters cannot be null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.type)) return schema;
  const words = Array.isArray(schema.enum) ? { enum: schema.enum.filter((word) => word !== null) } : {};
  return { ...schema, ...words, type: schema.type.find((each) => each !== 'null') };
}

function typed(text: string, { type }: JsonSchema): unknown {
  const is = (name: string) => type === name || (Array.isArray(type) && type.includes(name));
  if (is('integer') || is('number')) return Number(text);
  if (is('boolean')) return text === 'true';
  return is('array') ? text.split(',') : text;
}

function requestBody({ row }: Route, inputs: Input[], components: Components): JsonSchema {
  const whole = inputs.find(({ place }) => place === 'whole body');
  const fields = inputs.filter(({ place, name }) => place === 'body' && !(row.files && name === FILES));
  if (!whole && fields.length === 0 && !row.files) return {};
  const { default: _, ...bodySchema } = whole ? inputSchema(whole, components) : objectSchema(fields, components);
  const schema = whole && fields.length > 0 ? { allOf: [bodySchema, objectSchema(fields, components)] } : bodySchema;
  const example = row.example.body === undefined ? {} : { example: row.example.body };
  if (row.files)
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema: formSchema(schema, row.files) } } } };
  const required = (whole && isRequired(whole)) || fields.some(isRequired);
  return { requestBody: { required, content: { 'application/json': { schema, ...example } } } };
}

const FILES = 'files';

/** Add `files` to the schema of the form fields. */
function formSchema(fields: JsonSchema, { count, bytes, total, types, optional }: FileLimits): JsonSchema {
  const description = `At most ${megabytes(bytes)} per file and ${megabytes(total)} in total. Accepted MIME types: ${types.join(', ')}.`;
  const items = { type: 'string', format: 'binary' };
  const files = {
    type: 'object',
    properties: { [FILES]: { type: 'array', items, ...(!optional && { minItems: 1 }), maxItems: count, description } },
    ...(!optional && { required: [FILES] }),
  };
  return { allOf: [fields, files] };
}
