import type { ErrorCode } from '../../schema/errors.ts';
import { failureBody, statusOf } from '../answer/public-refusal.ts';
import { envelopeOf, type Route, requirementOf, type StreamFormat } from '../route.ts';
import type { Envelope, FailureShape, Surface } from '../surfaces.ts';
import type { JsonSchema } from './inputs.ts';

/** Example messages in the documentation, for codes without a message in the surface or row. */
const exampleMessages: Record<ErrorCode, string> = {
  INVALID_INPUT: 'limit must be at most 100',
  NOT_IN_PROGRESS: 'Job cannot be stopped because it is not in progress',
  LIMIT_REACHED: 'The limit is reached.',
  MISSING_KEY: 'Missing API Key',
  INVALID_KEY: 'Invalid API Key',
  UNKNOWN_KEY: 'Invalid API Key',
  NO_ACCESS: 'Invalid API Key',
  OUT_OF_CREDITS: 'Credit limit reached.',
  PLAN_REQUIRED: 'The integration API needs the Growth plan or above.',
  STORAGE_FULL:
    'Storage limit reached. The data of the organization can take up to 50000 MB. Delete unused data, or ask for a larger plan.',
  FORBIDDEN: 'This needs the role admin in the organization.',
  NOT_FOUND: 'Not Found',
  METHOD_NOT_ALLOWED: 'Method Not Allowed',
  CONFLICT: 'The resource already exists.',
  UNPROCESSABLE: 'The operation is not possible in the current state.',
  RATE_LIMITED: 'Rate limit exceeded',
  INTERNAL_SERVER_ERROR: 'Internal Server Error',
  UNAVAILABLE: 'Service Unavailable',
};

const statusDescriptions: Record<number, string> = {
  400: 'The request is malformed, or a value is missing or out of range.',
  401: 'The API key is missing or invalid.',
  402: 'The credits, the plan or the storage are insufficient.',
  403: 'The caller lacks permission.',
  404: 'The resource does not exist.',
  409: 'The request conflicts with an existing resource or a concurrent request.',
  422: 'The request is well-formed, but not possible in the current state.',
  429: 'The rate limit or another limit is reached.',
  500: 'An internal error occurred.',
  503: 'A required service is unavailable.',
};

const headerRefs = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const commonHeaders = headerRefs('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Unknown-Parameters');

const entityTagHeader = { ETag: { description: 'A strong entity tag of the body.', schema: { type: 'string' } } };

/** Whether responses of a route have an entity tag, so that a request can be conditional. */
export const hasEntityTag = ({ surface, method }: Route): boolean => surface.entityTags === true && method === 'GET';

/** The response to a conditional request for an unchanged body. */
export const notModified: JsonSchema = {
  description: 'The body still has the entity tag that the request sent.',
  headers: { ...commonHeaders, ...entityTagHeader },
};

/**
 * The response schema of a successful request: the payload in its envelope.
 * @param name names the payload, or the whole body if they are one
 */
export function successResponse(route: Route, payload: JsonSchema, name: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const { row } = route;
  if (row.reply === 'file') {
    const headers = {
      ...commonHeaders,
      'Content-Disposition': { description: 'The name of the file.', schema: { type: 'string' } },
    };
    const { fileTypes = ['text/csv'] } = row;
    const content = Object.fromEntries(fileTypes.map((type) => [type, { schema: { type: 'string' } }]));
    return { description: row.fileTypes ? 'A file.' : 'A CSV file.', headers, content };
  }
  if (row.stream) return streamResponse(row.stream, payload);
  const envelope = envelopeOf(route);
  const isWrapped = envelope.under !== undefined && !envelope.inside;
  const schema = isWrapped ? enveloped(name(payload), envelope) : name(enveloped(payload, envelope));
  const headers = { ...commonHeaders, ...(hasEntityTag(route) && entityTagHeader) };
  return { description: 'Success.', headers, content: { 'application/json': { schema } } };
}

/** A stream of events. As in OpenAPI 3.2, the schema describes one event; its data is JSON of `contentSchema`. */
function streamResponse({ data, headers = {}, end }: StreamFormat, payload: JsonSchema): JsonSchema {
  const { properties = {} } = payload as { properties?: Record<string, JsonSchema> };
  const ended = end === undefined ? '' : ` The data of the last event is \`${end}\`.`;
  const own = Object.entries(headers).map(([name, key]) => {
    const { description, ...schema } = properties[key] ?? {};
    return [name, { description, schema }];
  });
  const contentSchema = data === undefined ? payload : properties[data];
  const json = { type: 'string', contentMediaType: 'application/json', contentSchema };
  const text = end === undefined ? json : { oneOf: [{ const: end }, { ...json, not: { const: end } }] };
  return {
    description: `Server-sent events; the data of each is one line of JSON.${ended}`,
    headers: { ...commonHeaders, ...Object.fromEntries(own) },
    content: { 'text/event-stream': { schema: { type: 'object', properties: { data: text }, required: ['data'] } } },
  };
}

/** The response of a stream without events. */
export const emptyResponse = (description: string): JsonSchema => ({ description, headers: commonHeaders });

/** The schema of a payload in its envelope. */
export function enveloped(bare: JsonSchema, { with: constants = {}, under, inside }: Envelope): JsonSchema {
  const payload = inside ? enveloped(bare, { with: inside }) : bare;
  const fixed = Object.fromEntries(Object.entries(constants).map(([key, value]) => [key, { const: value }]));
  const names = Object.keys(fixed);
  if (under !== undefined) {
    const [key, ...inner] = under.split('.') as [string, ...string[]];
    const value = inner.length > 0 ? enveloped(payload, { under: inner.join('.') }) : payload;
    return { type: 'object', properties: { ...fixed, [key]: value }, required: [...names, key] };
  }
  if (names.length === 0) return payload;
  const { properties = {}, required = [] } = payload as { properties?: object; required?: string[] };
  return { ...payload, properties: { ...fixed, ...properties }, required: [...names, ...required] };
}

/** The errors that a row adds to those of its surface. */
export function documentedErrors({ row, surface }: Route): { status: number; message: string }[] {
  return Object.entries(ownErrors(row)).map(([code, message]) => ({
    status: statusOf(code as ErrorCode, surface, row.statuses),
    message: message ?? exampleMessages[code as ErrorCode],
  }));
}

type Messages = Partial<Record<ErrorCode, string>>;

const ownErrors = ({ errors }: Route['row']): Messages =>
  Array.isArray(errors) ? Object.fromEntries(errors.map((code) => [code, undefined])) : { ...(errors as Messages) };

/** The documented error responses of a row by status, including the codes in `more`. Codes with the same status become examples. */
export function failureResponses({ row, surface }: Route, more: readonly ErrorCode[]): Record<string, JsonSchema> {
  const own = ownErrors(row);
  const isPublic = requirementOf({ row, surface }).access === 'public';
  const usual = [...new Set([...surface.errors, ...more])].filter(
    (code) => !(code in own) && !(code === 'PLAN_REQUIRED' && row.requires && !row.requires.plan),
  );
  const codes = [...usual, ...Object.keys(own)] as ErrorCode[];
  const byStatus = Map.groupBy(codes, (code) => statusOf(code, surface, row.statuses));

  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => {
        const examples = codes.map((code) => {
          const message = own[code] ?? exampleMessages[code];
          return [code, { value: failureBody({ code, message }, status, surface) }];
        });
        const isRetryable = status === 503 || (status === 429 && !isPublic);
        const failed = headerRefs('X-Error-Code', ...(isRetryable ? ['Retry-After'] : []));
        const content = { schema: { $ref: failureRef(surface) }, examples: Object.fromEntries(examples) };
        const headers = { ...commonHeaders, ...failed };
        return [
          String(status),
          { description: statusDescriptions[status] ?? 'Failure.', headers, content: { 'application/json': content } },
        ];
      }),
  );
}

const failureRef = ({ name }: Surface) => `#/components/schemas/${failureName(name)}`;
export const failureName = (surface: string) =>
  `${surface.replace(/(^|-)(\w)/g, (_, _dash, letter) => letter.toUpperCase())}Failure`;

/** The schema of an error body, from the error format of a surface. */
export function failureSchema(shape: FailureShape): JsonSchema {
  const properties = Object.entries(shape).map(([key, part]): [string, JsonSchema] => {
    if (typeof part === 'object') return [key, failureSchema(part)];
    if (part === false) return [key, { const: false }];
    return [key, part === '{status}' ? { type: 'integer' } : { type: 'string' }];
  });
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(shape) };
}
