import type { Tables } from '../database/index.ts';
import { Webhooks } from '../migrations/0006-webhooks.ts';
import { DeliveryLog } from '../migrations/0070-delivery-log.ts';
import { Replays } from '../migrations/0071-replays.ts';
import { WebhookNames } from '../migrations/0081-webhook-names.ts';
import { AuditedWebhooks } from '../migrations/0120-audited-webhooks.ts';
import { DeliveryTrace } from '../migrations/0138-delivery-trace.ts';
import { DeliveryIndexes } from '../migrations/0149-delivery-indexes.ts';
import { DeliveryLosses } from '../migrations/0172-delivery-losses.ts';
import { WebhookEvents } from '../migrations/0210-webhook-events.ts';
import { DeliveryRecords } from '../migrations/0232-delivery-records.ts';
import { Attempt, Delivery, DeliveryReplay, EmittedEvent, WebhookSubscription } from './entity.ts';

/** The tables of webhooks, shared by all surfaces. */
export const webhookTables: Tables = {
  entities: [Attempt, Delivery, DeliveryReplay, EmittedEvent, WebhookSubscription],
  migrations: [
    { name: 'webhooks-0006', class: Webhooks },
    { name: 'webhooks-0070', class: DeliveryLog },
    { name: 'webhooks-0071', class: Replays },
    { name: 'webhooks-0081', class: WebhookNames },
    { name: 'webhooks-0120', class: AuditedWebhooks },
    { name: 'webhooks-0138', class: DeliveryTrace },
    { name: 'webhooks-0149', class: DeliveryIndexes },
    { name: 'webhooks-0172', class: DeliveryLosses },
    { name: 'webhooks-0210', class: WebhookEvents },
    { name: 'webhooks-0232', class: DeliveryRecords },
  ],
};
