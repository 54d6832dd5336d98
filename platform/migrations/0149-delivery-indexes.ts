import { buildIndex, OnlineMigration } from './online.ts';

const NEWEST = 'created_at desc, id desc) include (organization_id)';

/** The delivery log counts up to 10,000 deliveries for a page. With the organization, the count reads only the index. */
export class DeliveryIndexes extends OnlineMigration {
  protected readonly statements = [
    ...buildIndex('webhooks.deliveries_of_subscription', `webhooks.deliveries (subscription_id, ${NEWEST}`),
    ...buildIndex('webhooks.deliveries_of_status', `webhooks.deliveries (subscription_id, status, ${NEWEST}`),
    'drop index concurrently if exists webhooks.deliveries_newest',
    'drop index concurrently if exists webhooks.deliveries_by_status',
  ];
}
