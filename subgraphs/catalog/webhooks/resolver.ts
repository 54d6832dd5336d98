import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { deliveriesOf, deliveryFields, deliveryOperations } from '../../../platform/webhooks/index.ts';
import * as webhooks from './service.ts';
import {
  CreatedWebhook,
  DeletedWebhook,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDeliveriesArguments,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryUpdate,
} from './types.ts';

const surface = 'catalog';
const deliveries = deliveriesOf(surface);

const DESCRIPTION =
  'The deliveries of a webhook in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.';

@Resolver()
class WebhookDeliveriesResolver {
  @Authorized('member')
  @Query(() => WebhookDeliveryPage, { nullable: true, description: DESCRIPTION })
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

@Access('member')
@Resolver(() => Webhook)
export class WebhookResolver {
  @ListSize(webhooks.MAX_WEBHOOKS)
  @Query(() => [Webhook], { description: 'The webhooks of the organization, newest first.' })
  webhooks(@Ctx() scope: RequestScope) {
    return webhooks.listWebhooks(scope);
  }

  @Idempotent({ prepares: true, shownOnce: ['secret'] })
  @Mutation(() => CreatedWebhook, { description: 'Create a webhook. An organization can have up to ten.' })
  createWebhook(@Ctx() scope: RequestScope, @Arg('input', () => NewWebhook) input: NewWebhook) {
    return webhooks.createWebhook(scope, input);
  }

  @Mutation(() => Webhook, { description: 'Change a webhook. Omitted fields stay unchanged.' })
  updateWebhook(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => WebhookChange) input: WebhookChange) {
    return webhooks.updateWebhook(scope, id, input);
  }

  @Mutation(() => DeletedWebhook, { description: 'Delete a webhook. Its pending deliveries are not sent.' })
  deleteWebhook(@Ctx() scope: RequestScope, @Id() id: string) {
    return webhooks.deleteWebhook(scope, id);
  }
}
