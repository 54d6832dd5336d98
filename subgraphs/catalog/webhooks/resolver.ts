import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../common/idempotency/idempotent.ts';
import { ListSize } from '../../common/list-size.ts';
import type { RequestScope } from '../../common/scope.ts';
import { attemptsOf, MAX_ATTEMPTS } from '../../common/webhooks/log.ts';
import { WebhookAttempt } from '../../common/webhooks/types.ts';
import * as deliveries from './deliveries.ts';
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
} from './types.ts';

const LOG_DESCRIPTION =
  'The deliveries of a webhook in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.';

@Resolver(() => Webhook)
export class WebhookResolver {
  @Authorized('member')
  @ListSize(webhooks.MAX_WEBHOOKS)
  @Query(() => [Webhook], { description: 'The webhooks of the organization, newest first.' })
  webhooks(@Ctx() scope: RequestScope) {
    return webhooks.listWebhooks(scope);
  }

  @Authorized('member')
  @Idempotent({ prepares: true, shownOnce: ['secret'] })
  @Mutation(() => CreatedWebhook, { description: 'Create a webhook. An organization can have up to ten.' })
  createWebhook(@Ctx() scope: RequestScope, @Arg('input', () => NewWebhook) input: NewWebhook) {
    return webhooks.createWebhook(scope, input);
  }

  @Authorized('member')
  @Mutation(() => Webhook, { description: 'Change a webhook. Omitted fields stay unchanged.' })
  updateWebhook(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => WebhookChange) input: WebhookChange,
  ) {
    return webhooks.updateWebhook(scope, id, input);
  }

  @Authorized('member')
  @Mutation(() => DeletedWebhook, { description: 'Delete a webhook. Its pending deliveries are not sent.' })
  deleteWebhook(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return webhooks.deleteWebhook(scope, id);
  }

  @Authorized('member')
  @Query(() => WebhookDeliveryPage, { description: LOG_DESCRIPTION })
  webhookDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => WebhookDeliveriesArguments) { webhookId, page, limit, ...filter }: WebhookDeliveriesArguments,
  ) {
    return deliveries.listDeliveries(scope, webhookId, filter, { page, limit });
  }

  @Authorized('member')
  @Mutation(() => WebhookDelivery, {
    description: 'Send a sample of the first event of a webhook, under the same rules as a real event.',
  })
  testWebhook(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.testWebhook(scope, id);
  }

  @Authorized('member')
  @Mutation(() => WebhookDelivery, { description: 'Send a delivery again, with the same id and body.' })
  replayWebhookDelivery(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.replayDelivery(scope, id);
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @ListSize(MAX_ATTEMPTS)
  @FieldResolver(() => [WebhookAttempt], { description: 'The latest 100 attempts, oldest first.' })
  log(@Ctx() scope: RequestScope, @Root() { id }: WebhookDelivery) {
    return attemptsOf(scope, id);
  }
}
