import { type WebhookEventType, webhookEvents } from '../../schema/webhook-events.ts';
import type { Surface } from '../surfaces.ts';
import type { JsonSchema } from './inputs.ts';

type WebhookSurface = keyof typeof webhookEvents;

const TRUNCATED =
  'An event with more than 256 KiB of data lacks its largest properties and has `truncated: true`. The API returns the whole record.';
const EVENT_ID = 'Id of the event, the same in the deliveries of all subscriptions.';
const text = { type: 'string' };
const uuid = { type: 'string', format: 'uuid' };
const time = { type: 'string', format: 'date-time' };

/** The envelope of the surfaces with retries. */
const envelope = (event: string, data: JsonSchema): JsonSchema =>
  objectOf({
    id: { ...uuid, description: EVENT_ID },
    event: { const: event },
    organizationId: uuid,
    agentId: { type: ['string', 'null'], format: 'uuid', description: 'The agent of the event; null if it has none.' },
    occurredAt: time,
    data,
  });

interface Receiving {
  /** The meaning of the status that a receiver returns. */
  responses: Record<string, { description: string }>;
  body(event: string, data: JsonSchema): JsonSchema;
  example(event: string, data: unknown): Record<string, unknown>;
}

const [id, occurredAt] = ['01a20ec1-3cb2-7047-be5c-ea924c2c28fb', '2026-01-01T00:00:00.000Z'];

const withRetries: Receiving = {
  responses: {
    '2XX': { description: 'The delivery arrived. The response must come within 10 seconds.' },
    410: { description: 'Deletes the subscription.' },
    default: { description: 'The delivery failed. Four retries follow, after 1, 5, 30 and 120 minutes.' },
  },
  body: envelope,
  example: (event, data) => ({ id, event, organizationId: id, agentId: null, occurredAt, data }),
};

const receiving: Record<WebhookSurface, Receiving> = {
  catalog: {
    responses: {
      '2XX': { description: 'The delivery arrived. The response must come within 30 seconds.' },
      default: { description: 'The delivery failed. It is not repeated.' },
    },
    body: (event, payload) =>
      objectOf({ webhookId: { ...uuid, description: 'Id of the webhook.' }, event: { const: event }, payload }),
    example: (event, payload) => ({ webhookId: id, event, payload }),
  },
  integration: { ...withRetries, example: (event, data) => ({ ...withRetries.example(event, data), agentId: id }) },
  'site-content': withRetries,
};

const SIGNED = 'Missing for subscriptions without a secret.';
const headers = [
  ['x-svc-event', 'The name of the event.', text],
  ['x-svc-delivery', 'Id of the delivery, the same for all attempts and replays.', uuid],
  ['x-svc-signature', `\`t=<unix seconds>,v1=<hex>\`: HMAC-SHA256 of \`<t>.<body>\`. The key is the whole secret. ${SIGNED}`, text],
  ['webhook-id', `The value of \`x-svc-delivery\`. ${SIGNED}`, uuid],
  ['webhook-timestamp', `Unix seconds of the attempt. ${SIGNED}`, text],
  ['webhook-signature', `\`v1,<base64>\` of Standard Webhooks. The key is the decoded secret after \`whsec_\`. ${SIGNED}`, text],
].map(([name, description, schema]) => ({
  name,
  in: 'header',
  required: !String(description).endsWith(SIGNED),
  description,
  schema,
}));

/** The requests that the receivers of these surfaces get, by event. */
export function webhooksOf(surfaces: readonly Surface[]): Record<string, JsonSchema> {
  const sending = surfaces.filter((surface): surface is Surface & { name: WebhookSurface } => surface.name in webhookEvents);
  return Object.fromEntries(
    sending.flatMap(({ name, tag }) =>
      Object.entries<WebhookEventType>(webhookEvents[name]).map(([event, type]) => [
        event,
        { post: describe(receiving[name], tag, event, type) },
      ]),
    ),
  );
}

function describe({ body, example, responses }: Receiving, tag: string, event: string, type: WebhookEventType): JsonSchema {
  const { summary, data, nullable = [], open = [] } = type;
  const schema = body(event, { ...dataSchema(data, nullable, open), description: TRUNCATED });
  return {
    operationId: event
      .split(/[._]/)
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .reduce((joined, word) => joined + word, 'on'),
    tags: [tag],
    summary,
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example: example(event, data) } } },
    responses,
    security: [],
  };
}

/** Nothing is required, because large data lacks properties. */
const dataSchema = (data: object, nullable: readonly string[], open: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const schema = open.includes(name) ? { type: 'object' } : valueSchema(value, nullable);
      return [name, nullable.includes(name) ? { ...schema, type: [...new Set([schema.type, 'null'].flat())] } : schema];
    }),
  ),
});

function valueSchema(value: unknown, nullable: readonly string[]): JsonSchema {
  if (value === null) return { type: ['string', 'null'] };
  if (Array.isArray(value)) return { type: 'array', items: typeof value[0] === 'object' ? valueSchema(value[0], nullable) : text };
  if (typeof value === 'object') return dataSchema(value as object, nullable, []);
  if (/^\d{4}-\d\d-\d\dT/.test(String(value))) return time;
  return /^[0-9a-f]{8}-/.test(String(value)) ? uuid : { type: typeof value };
}

const objectOf = (properties: Record<string, unknown>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
