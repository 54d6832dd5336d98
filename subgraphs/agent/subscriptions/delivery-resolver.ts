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
import { EventDeliveriesArguments, EventDelivery, EventDeliveryPage, EventDeliveryUpdate } from './types.ts';

@Resolver(() => EventDelivery)
export class EventDeliveryResolver {
  @Authorized('member')
  @Query(() => EventDeliveryPage, {
    description:
      'The deliveries of an event subscription in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.',
  })
  eventDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => EventDeliveriesArguments) { subscriptionId, page, limit, ...filter }: EventDeliveriesArguments,
  ) {
    return deliveries.page(scope, subscriptionId, filter, { page, limit });
  }

  @Authorized('member')
  @Query(() => EventDelivery, { description: 'One delivery of the last 30 days.' })
  eventDelivery(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.find(scope, id);
  }

  @Authorized('member')
  @Mutation(() => EventDelivery, { description: 'Send a delivery again, with the same id and body.' })
  replayEventDelivery(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.replay(scope, id);
  }

  @Authorized('member')
  @Mutation(() => EventDelivery, {
    description: 'Send a sample of the event of a subscription, under the same rules as a real event.',
  })
  testEventSubscription(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.test(scope, id);
  }

  @Authorized('member')
  @Mutation(() => DeliveryReplay, {
    description:
      'Send up to 100,000 deliveries of a subscription again, oldest first, with the same ids and bodies. This runs in the background.',
  })
  replayEventDeliveries(
    @Ctx() scope: RequestScope,
    @Arg('subscriptionId', () => ID) subscriptionId: string,
    @Arg('range', () => DeliveryRange) range: DeliveryRange,
  ) {
    return deliveries.replayRange(scope, subscriptionId, range);
  }

  @Authorized('member')
  @Query(() => DeliveryReplay, { description: 'A replay by id. Replays are stored for 30 days after their end.' })
  eventDeliveryReplay(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.findReplay(scope, id);
  }

  @Authorized('member')
  @Mutation(() => DeliveryReplay, { description: 'Stop a running replay. Deliveries that it has scheduled are still sent.' })
  stopEventDeliveryReplay(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.stopReplay(scope, id);
  }

  @Authorized('member')
  @ListSize(2)
  @Query(() => [SignatureReport], {
    description:
      'Explain why the signatures of a delivery of an event subscription are accepted or rejected: time, encoding, secret, id, and changes of the body by a parser.',
  })
  checkEventSignature(@Ctx() scope: RequestScope, @Arg('input', () => ReceivedDelivery) input: ReceivedDelivery) {
    return deliveries.checkSignatures(scope, input);
  }

  @Authorized('member')
  @Subscription(() => EventDeliveryUpdate, {
    description:
      'All attempts of a subscription, in order, until it is deleted. A client that reconnects with the last `sequence` misses none of the last 30 days.',
    subscribe: ({ context, args }) => deliveries.follow(context as RequestScope, args.subscriptionId, args.after),
  })
  eventDeliveryUpdates(
    @Root() update: EventDeliveryUpdate,
    @Arg('subscriptionId', () => ID) _subscriptionId: string,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): EventDeliveryUpdate {
    return update;
  }

  @FieldResolver(() => String, { description: BODY })
  body(@Ctx() scope: RequestScope, @Root() { id }: EventDelivery) {
    return bodyOf(scope, 'integration', id);
  }

  @ListSize(MAX_ATTEMPTS)
  @FieldResolver(() => [WebhookAttempt], { description: 'The latest 100 attempts, oldest first.' })
  log(@Ctx() scope: RequestScope, @Root() { id }: EventDelivery) {
    return attemptsOf(scope, id);
  }
}

@Resolver(() => EventDeliveryUpdate)
export class EventDeliveryUpdateResolver {
  @FieldResolver(() => EventDelivery, { description: 'The current state of the delivery.' })
  delivery(@Ctx() scope: RequestScope, @Root() { deliveryId }: EventDeliveryUpdate) {
    return scope.load(Delivery, deliveryId);
  }
}
