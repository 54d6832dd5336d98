import type { Pool } from 'pg';
import { bodyFor } from '../../subgraphs/common/webhooks/body.ts';

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

/** The bodies that receivers get, oldest first. */
export const bodiesOf = async (...query: Parameters<typeof bodyTexts>) =>
  (await bodyTexts(...query)).map((text) => JSON.parse(text));
