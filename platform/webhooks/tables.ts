import type { Tables } from '../database/index.ts';
import { Attempt, Delivery, DeliveryReplay, EmittedEvent, WebhookSubscription } from './entity.ts';
import { WebhooksBaseline } from './migrations/0001-baseline.ts';

/** The tables of webhooks, shared by all surfaces. */
export const webhookTables: Tables = {
  entities: [Attempt, Delivery, DeliveryReplay, EmittedEvent, WebhookSubscription],
  migrations: [{ name: 'webhooks-0001', class: WebhooksBaseline }],
};
