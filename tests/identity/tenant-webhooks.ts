import { insertEvent } from '../support/event-sql.ts';
import { database } from '../support/seed.ts';
import type { Maker } from './tenant-maker.ts';

/** A webhook without events, with an earlier delivery and its attempt. */
export async function seedWebhook(organizationId: string, name: string, { idOf }: Maker) {
  const webhook = await idOf(
    'mutation ($url: String!) { made: createWebhook(input: { url: $url, eventType: ["ai_import.start"], enabled: false }) { id } }',
    { url: `https://hooks.example.com/${name}` },
  );
  const { rows } = await database().query(
    `with emitted as (${insertEvent('ai_import.start', '$3')})
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, status, attempts)
     select gen_random_uuid(), $1, $2, 'ai_import.start', id, 'failed', 1 from emitted returning id`,
    [organizationId, webhook, JSON.stringify({ name })],
  );
  await database().query(
    `insert into webhooks.attempts (id, organization_id, delivery_id, subscription_id, sequence, number, error, duration_ms)
     values (gen_random_uuid(), $1, $2, $3, 1, 1, $4, 1)`,
    [organizationId, rows[0].id, webhook, name],
  );
  return { webhook, delivery: rows[0].id as string, replay: await seedReplay(organizationId, webhook) };
}

/** A replay that has ended. */
export async function seedReplay(organizationId: string, subscriptionId: string): Promise<string> {
  const { rows } = await database().query(
    `insert into webhooks.replays (id, organization_id, subscription_id, statuses, "from", "to", status, total, ended_at)
     values (gen_random_uuid(), $1, $2, '{failed}', now(), now(), 'completed', 0, now()) returning id`,
    [organizationId, subscriptionId],
  );
  return rows[0].id;
}
