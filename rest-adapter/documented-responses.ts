import type { ErrorCode } from '../schema/errors.ts';
import { failureBody, statusOf } from './failure.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Route } from './route.ts';
import type { Envelope, FailureShape, Surface } from './surface.ts';

/** What the documentation says of a failure, when neither surface nor row fixes the words. */
const sayings: Record<ErrorCode, string> = {
  INVALID_INPUT: 'limit must be at most 100',
  NOT_IN_PROGRESS: 'Job cannot be stopped because it is not in progress',
  LIMIT_REACHED: 'There are as many as there may be.',
  MISSING_KEY: 'Missing API Key',
  INVALID_KEY: 'Invalid API Key',
  UNKNOWN_KEY: 'Invalid API Key',
  NO_ACCESS: 'Invalid API Key',
  OUT_OF_CREDITS: 'Credit limit reached.',
  PLAN_REQUIRED: 'The integration API needs the Growth plan or above.',
  FORBIDDEN: 'This needs the role admin in the organization.',
  NOT_FOUND: 'Not Found',
  CONFLICT: 'It exists already.',
  UNPROCESSABLE: 'It cannot be done in this state.',
  RATE_LIMITED: 'Rate limit exceeded',
  INTERNAL_SERVER_ERROR: 'Internal Server Error',
  UNAVAILABLE: 'Service Unavailable',
};

const meanings: Record<number, string> = {
  400: 'The request is malformed, or a value is missing or out of range.',
  401: 'The API key is missing or does not work.',
  402: 'The credits or the plan do not cover this.',
  403: 'The caller may not do this.',
  404: 'There is nothing here.',
  409: 'It conflicts with what is there.',
  422: 'It is well-formed, but refused in the state things are in.',
  429: 'Too many requests, or a limit is reached.',
  500: 'Something failed inside.',
  503: 'A part that is needed cannot be reached.',
};

const counted = Object.fromEntries(
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]),
);

/** The success of a row: its payload in its envelope. */
export function successResponse({ row, surface }: Route, payload: JsonSchema): JsonSchema {
  if (row.reply === 'file') {
    const headers = { ...counted, 'Content-Disposition': { description: 'The name of the file.', schema: { type: 'string' } } };
    return { description: 'A CSV file.', headers, content: { 'text/csv': { schema: { type: 'string' } } } };
  }
  const schema = enveloped(payload, row.envelope ?? surface.envelope);
  return { description: 'Success.', headers: counted, content: { 'application/json': { schema } } };
}

function enveloped(bare: JsonSchema, { with: constants = {}, under, inside }: Envelope): JsonSchema {
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

/** Every failure a row is documented with, and `more`, by status; codes of one status are examples of one response. */
export function failureResponses({ row, surface }: Route, more: readonly ErrorCode[]): Record<string, JsonSchema> {
  const own = Array.isArray(row.errors) ? Object.fromEntries(row.errors.map((code) => [code, undefined])) : { ...row.errors };
  const isPublic = (row.requires ?? surface.requires).access === 'public';
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
          const message = (own as Partial<Record<ErrorCode, string>>)[code] ?? sayings[code];
          return [code, { value: failureBody({ code, message }, status, surface) }];
        });
        const waits = status === 503 || (status === 429 && !isPublic);
        const retry = waits ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {};
        const content = { schema: { $ref: failureRef(surface) }, examples: Object.fromEntries(examples) };
        const headers = { ...counted, ...retry };
        return [String(status), { description: meanings[status] ?? 'Failure.', headers, content: { 'application/json': content } }];
      }),
  );
}

const failureRef = ({ name }: Surface) => `#/components/schemas/${failureName(name)}`;
export const failureName = (surface: string) =>
  `${surface.replace(/(^|-)(\w)/g, (_, _dash, letter) => letter.toUpperCase())}Failure`;

/** The schema of a surface's failures, from its shape. */
export function failureSchema(shape: FailureShape): JsonSchema {
  const properties = Object.entries(shape).map(([key, part]): [string, JsonSchema] => {
    if (typeof part === 'object') return [key, failureSchema(part)];
    if (part === false) return [key, { const: false }];
    return [key, part === '{status}' ? { type: 'integer' } : { type: 'string' }];
  });
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(shape) };
}
