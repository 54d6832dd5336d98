import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Pool } from 'pg';
import { bodyFor } from '../../platform/webhooks/emit.ts';
import { type WebhookEventType, webhookEvents } from '../../schema/webhook-events.ts';
import { textOf } from '../structure/files.ts';

/**
 * The texts that receivers get, oldest first.
 * @param where SQL condition on the delivery `d`
 */
export async function bodyTexts(pool: Pool, where = 'true', values: unknown[] = []): Promise<string[]> {
  const { rows } = await pool.query(
    `select s.surface, s.id as subscription, e.id, e.event, e.organization_id as "organizationId", e.about_id as "aboutId",
            e.occurred_at as "occurredAt", e.payload
       from webhooks.deliveries d join webhooks.subscriptions s on s.id = d.subscription_id join webhooks.events e on e.id = d.event_id
      where ${where} order by d.id`,
    values,
  );
  return rows.map(({ surface, subscription, ...event }) => bodyFor(surface, subscription, event));
}

/** The bodies that receivers get, oldest first. Each must be as the OpenAPI document and `docs/webhooks.md` show it. */
export async function bodiesOf(...query: Parameters<typeof bodyTexts>) {
  const bodies = (await bodyTexts(...query)).map((text) => JSON.parse(text));
  for (const body of bodies) expectDocumented(body);
  return bodies;
}

const types: Record<string, WebhookEventType> = Object.assign({}, ...Object.values(webhookEvents));
const ajv = new Ajv2020({ strict: false, formats: { uuid: true, 'date-time': true } });
const validators: Record<string, ValidateFunction> = Object.fromEntries(
  ['openapi.json', 'openapi-site-content.json'].flatMap((name) =>
    Object.entries<{ post: { requestBody: { content: Record<string, { schema: object }> } } }>(
      JSON.parse(textOf(`schema/${name}`)).webhooks,
    ).map(([event, { post }]) => [event, ajv.compile(post.requestBody.content['application/json']!.schema)]),
  ),
);

function expectDocumented(body: { event: string; data?: object; payload?: object }): void {
  const validate = validators[body.event]!;
  expect([body, validate(body), validate.errors]).toEqual([body, true, null]);
  const { data } = types[body.event]!;
  // The fields of a custom form stand beside those of its submission.
  const fields = 'values' in data && body.event === 'form.submitted' ? Object.keys(data.values as object) : [];
  const expected = Object.keys(data).filter((name) => !fields.includes(name));
  const found = Object.keys(body.data ?? body.payload!);
  expect([body.event, fields.length > 0 ? found.slice(0, expected.length) : found]).toEqual([body.event, expected]);
}
