import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../common/idempotency/idempotent.ts';
import { ListSize } from '../../common/list-size.ts';
import type { RequestScope } from '../../common/scope.ts';
import * as deliveries from './deliveries.ts';
import * as webhooks from './service.ts';
import {
  CreatedWebhook,
  DeletedWebhook,
  NewWebhook,
  Webhook,
  WebhookAttempt,
  WebhookChange,
  WebhookDeliveriesArguments,
  WebhookDelivery,
  WebhookDeliveryPage,
} from './types.ts';

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
  @Query(() => WebhookDeliveryPage, { description: 'The deliveries of a webhook in the last 30 days, newest first.' })
  webhookDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => WebhookDeliveriesArguments) { webhookId, ...page }: WebhookDeliveriesArguments,
  ) {
    return deliveries.listDeliveries(scope, webhookId, page);
  }

  @Authorized('member')
  @Mutation(() => WebhookDelivery, { description: 'Send a delivery again, with the same id and body.' })
  replayWebhookDelivery(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.replayDelivery(scope, id);
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @ListSize(deliveries.MAX_ATTEMPTS)
  @FieldResolver(() => [WebhookAttempt], { description: 'The latest 100 attempts, oldest first.' })
  log(@Ctx() scope: RequestScope, @Root() { id }: WebhookDelivery) {
    return deliveries.attemptsOf(scope, id);
  }
}
