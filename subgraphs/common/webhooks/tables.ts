import type { Tables } from '../database.ts';
import { Webhooks } from '../migrations/0006-webhooks.ts';
import { DeliveryLog } from '../migrations/0070-delivery-log.ts';
import { Attempt, Delivery, WebhookSubscription } from './entity.ts';

/** The tables of webhooks, shared by all surfaces. */
export const webhookTables: Tables = {
  entities: [Attempt, Delivery, WebhookSubscription],
  migrations: [
    { name: 'webhooks-0006', class: Webhooks },
    { name: 'webhooks-0070', class: DeliveryLog },
  ],
};
