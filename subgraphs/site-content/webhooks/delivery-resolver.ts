import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../../platform/scope/index.ts';
import {
  type DeliveryApi,
  deliveriesOf,
  deliveryFields,
  deliveryOperations,
  WebhookSubscription,
} from '../../../platform/webhooks/index.ts';
import { isEditor } from '../content/access.ts';
import { EDITORS } from '../content/descriptions.ts';
import { requireEditorOf } from './service.ts';
import {
  SiteWebhookDeliveriesArguments,
  SiteWebhookDelivery,
  SiteWebhookDeliveryList,
  SiteWebhookDeliveryUpdate,
} from './types.ts';

const surface = 'site-content';
const deliveries = deliveriesOf(surface);

const api: DeliveryApi = {
  surface,
  name: 'siteWebhook',
  delivery: SiteWebhookDelivery,
  update: SiteWebhookDeliveryUpdate,
  test: { name: 'testSiteWebhook', description: 'Send a sample of the first event of a webhook.' },
  subscription: { argument: 'webhookId', noun: 'a webhook', ofDelivery: 'a webhook' },
  editors: {
    rule: EDITORS,
    require: requireEditorOf,
    async mayRead(scope, subscriptionId) {
      const webhook = await scope.load(WebhookSubscription, subscriptionId);
      return webhook !== null && isEditor(scope, webhook.aboutId!);
    },
  },
};

// The order of the resolvers is that of the fields in the emitted schema.
const fields = deliveryFields(api);

@Resolver()
class SiteWebhookDeliveriesResolver {
  @Authorized('member')
  @Query(() => SiteWebhookDeliveryList, {
    description:
      'The deliveries of a webhook in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.',
  })
  async siteWebhookDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => SiteWebhookDeliveriesArguments) { webhookId, page, perPage, ...filter }: SiteWebhookDeliveriesArguments,
  ) {
    const { nodes, pagination } = await deliveries.page(scope, webhookId, filter, { page, limit: perPage });
    const { total, totalPages } = pagination;
    return { nodes, meta: { page, perPage, total, totalPages } };
  }
}

export const siteWebhookDeliveryResolvers = [...fields, SiteWebhookDeliveriesResolver, ...deliveryOperations(api)] as const;
