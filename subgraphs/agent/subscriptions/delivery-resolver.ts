import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { deliveriesOf, deliveryFields, deliveryOperations } from '../../../platform/webhooks/index.ts';
import { EventDeliveriesArguments, EventDelivery, EventDeliveryPage, EventDeliveryUpdate } from './types.ts';

const surface = 'integration';
const deliveries = deliveriesOf(surface);

@Resolver()
class EventDeliveriesResolver {
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
}

const api = {
  surface,
  name: 'event',
  delivery: EventDelivery,
  update: EventDeliveryUpdate,
  test: {
    name: 'testEventSubscription',
    description: 'Send a sample of the event of a subscription, under the same rules as a real event.',
    isLast: true,
  },
  subscription: { argument: 'subscriptionId', noun: 'a subscription', ofDelivery: 'an event subscription' },
} as const;

export const eventDeliveryResolvers = [EventDeliveriesResolver, ...deliveryFields(api), ...deliveryOperations(api)] as const;
