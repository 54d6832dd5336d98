import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { ListSize } from '../../common/list-size.ts';
import type { RequestScope } from '../../common/scope.ts';
import { attemptsOf, MAX_ATTEMPTS } from '../../common/webhooks/log.ts';
import { WebhookAttempt } from '../../common/webhooks/types.ts';
import * as deliveries from './deliveries.ts';
import { EventDeliveriesArguments, EventDelivery, EventDeliveryPage } from './types.ts';

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
    return deliveries.listDeliveries(scope, subscriptionId, filter, { page, limit });
  }

  @Authorized('member')
  @Mutation(() => EventDelivery, { description: 'Send a delivery again, with the same id and body.' })
  replayEventDelivery(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.replayDelivery(scope, id);
  }

  @Authorized('member')
  @Mutation(() => EventDelivery, {
    description: 'Send a sample of the event of a subscription, under the same rules as a real event.',
  })
  testEventSubscription(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.testSubscription(scope, id);
  }

  @ListSize(MAX_ATTEMPTS)
  @FieldResolver(() => [WebhookAttempt], { description: 'The latest 100 attempts, oldest first.' })
  log(@Ctx() scope: RequestScope, @Root() { id }: EventDelivery) {
    return attemptsOf(scope, id);
  }
}
