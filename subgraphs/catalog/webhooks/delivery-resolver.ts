import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { deliveriesOf, deliveryFields, deliveryOperations } from '../../../platform/webhooks/index.ts';
import { WebhookDeliveriesArguments, WebhookDelivery, WebhookDeliveryPage, WebhookDeliveryUpdate } from './types.ts';

const surface = 'catalog';
const deliveries = deliveriesOf(surface);

const DESCRIPTION =
  'The deliveries of a webhook in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.';

@Resolver()
class WebhookDeliveriesResolver {
  @Authorized('member')
  @Query(() => WebhookDeliveryPage, { description: DESCRIPTION })
  webhookDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => WebhookDeliveriesArguments) { webhookId, page, limit, ...filter }: WebhookDeliveriesArguments,
  ) {
    return deliveries.page(scope, webhookId, filter, { page, limit });
  }
}

const api = {
  surface,
  name: 'webhook',
  delivery: WebhookDelivery,
  update: WebhookDeliveryUpdate,
  test: {
    name: 'testWebhook',
    description: 'Send a sample of the first event of a webhook, under the same rules as a real event.',
  },
  subscription: { argument: 'webhookId', noun: 'a webhook', ofDelivery: 'a webhook' },
} as const;

export const webhookDeliveryResolvers = [WebhookDeliveriesResolver, ...deliveryFields(api), ...deliveryOperations(api)] as const;
