import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import {
  AFTER,
  attemptsOf,
  BODY,
  bodyOf,
  Delivery,
  DeliveryRange,
  DeliveryReplay,
  MAX_ATTEMPTS,
  ReceivedDelivery,
  SignatureReport,
  WebhookAttempt,
} from '../../../platform/webhooks/index.ts';
import { deliveries } from './deliveries.ts';
import { WebhookDeliveriesArguments, WebhookDelivery, WebhookDeliveryPage, WebhookDeliveryUpdate } from './types.ts';

const LOG_DESCRIPTION =
  'The deliveries of a webhook in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.';

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @Authorized('member')
  @Query(() => WebhookDeliveryPage, { description: LOG_DESCRIPTION })
  webhookDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => WebhookDeliveriesArguments) { webhookId, page, limit, ...filter }: WebhookDeliveriesArguments,
  ) {
    return deliveries.page(scope, webhookId, filter, { page, limit });
  }

  @Authorized('member')
  @Query(() => WebhookDelivery, { description: 'One delivery of the last 30 days.' })
  webhookDelivery(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.find(scope, id);
  }

  @Authorized('member')
  @Mutation(() => WebhookDelivery, {
    description: 'Send a sample of the first event of a webhook, under the same rules as a real event.',
  })
  testWebhook(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.test(scope, id);
  }

  @Authorized('member')
  @Mutation(() => WebhookDelivery, { description: 'Send a delivery again, with the same id and body.' })
  replayWebhookDelivery(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.replay(scope, id);
  }

  @Authorized('member')
  @Mutation(() => DeliveryReplay, {
    description:
      'Send up to 100,000 deliveries of a webhook again, oldest first, with the same ids and bodies. This runs in the background.',
  })
  replayWebhookDeliveries(
    @Ctx() scope: RequestScope,
    @Arg('webhookId', () => ID) webhookId: string,
    @Arg('range', () => DeliveryRange) range: DeliveryRange,
  ) {
    return deliveries.replayRange(scope, webhookId, range);
  }

  @Authorized('member')
  @Query(() => DeliveryReplay, { description: 'A replay by id. Replays are stored for 30 days after their end.' })
  webhookDeliveryReplay(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.findReplay(scope, id);
  }

  @Authorized('member')
  @Mutation(() => DeliveryReplay, { description: 'Stop a running replay. Deliveries that it has scheduled are still sent.' })
  stopWebhookDeliveryReplay(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.stopReplay(scope, id);
  }

  @Authorized('member')
  @ListSize(2)
  @Query(() => [SignatureReport], {
    description:
      'Explain why the signatures of a delivery of a webhook are accepted or rejected: time, encoding, secret, id, and changes of the body by a parser.',
  })
  checkWebhookSignature(@Ctx() scope: RequestScope, @Arg('input', () => ReceivedDelivery) input: ReceivedDelivery) {
    return deliveries.checkSignatures(scope, input);
  }

  @Authorized('member')
  @Subscription(() => WebhookDeliveryUpdate, {
    description:
      'All attempts of a webhook, in order, until it is deleted. A client that reconnects with the last `sequence` misses none of the last 30 days.',
    subscribe: ({ context, args }) => deliveries.follow(context as RequestScope, args.webhookId, args.after),
  })
  webhookDeliveryUpdates(
    @Root() update: WebhookDeliveryUpdate,
    @Arg('webhookId', () => ID) _webhookId: string,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): WebhookDeliveryUpdate {
    return update;
  }

  @FieldResolver(() => String, { description: BODY })
  body(@Ctx() scope: RequestScope, @Root() { id }: WebhookDelivery) {
    return bodyOf(scope, 'catalog', id);
  }

  @ListSize(MAX_ATTEMPTS)
  @FieldResolver(() => [WebhookAttempt], { description: 'The latest 100 attempts, oldest first.' })
  log(@Ctx() scope: RequestScope, @Root() { id }: WebhookDelivery) {
    return attemptsOf(scope, id);
  }
}

@Resolver(() => WebhookDeliveryUpdate)
export class WebhookDeliveryUpdateResolver {
  @FieldResolver(() => WebhookDelivery, { description: 'The current state of the delivery.' })
  delivery(@Ctx() scope: RequestScope, @Root() { deliveryId }: WebhookDeliveryUpdate) {
    return scope.load(Delivery, deliveryId);
  }
}
