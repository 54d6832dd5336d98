import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { deliveriesOf, deliveryFields, deliveryOperations } from '../../../platform/webhooks/index.ts';
import * as subscriptions from './service.ts';
import {
  CreatedEventSubscription,
  CreatedEventSubscriptions,
  DeletedEventSubscriptions,
  EventDeliveriesArguments,
  EventDelivery,
  EventDeliveryPage,
  EventDeliveryUpdate,
  EventSubscription,
  EventSubscriptionSelection,
  EventSubscriptions,
  EventSubscriptionsArguments,
  NewEventSubscription,
  NewEventSubscriptions,
} from './types.ts';

const surface = 'integration';
const deliveries = deliveriesOf(surface);

@Resolver()
class EventDeliveriesResolver {
  @Authorized('member')
  @Query(() => EventDeliveryPage, {
    nullable: true,
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

@Access('member')
@Resolver()
export class EventSubscriptionResolver {
  @Query(() => EventSubscriptions, { description: 'The event subscriptions of the organization.' })
  eventSubscriptions(
    @Ctx() scope: RequestScope,
    @Args(() => EventSubscriptionsArguments) { ofRestApi }: EventSubscriptionsArguments,
  ) {
    return subscriptions.listSubscriptions(scope, ofRestApi);
  }

  @Idempotent({ prepares: true, shownOnce: ['secret'] })
  @Mutation(() => CreatedEventSubscription, {
    description: 'Subscribe a URL to an event, or activate its subscription again. An organization can have up to 100.',
  })
  createEventSubscription(@Ctx() scope: RequestScope, @Arg('input', () => NewEventSubscription) input: NewEventSubscription) {
    return subscriptions.subscribe(scope, input);
  }

  @Idempotent({ prepares: true, shownOnce: ['secret'] })
  @Mutation(() => CreatedEventSubscriptions, {
    description:
      'Subscribe a URL to several events at once, or activate its subscriptions again: all of them, or none. An organization can have up to 100 subscriptions.',
  })
  createEventSubscriptions(@Ctx() scope: RequestScope, @Arg('input', () => NewEventSubscriptions) input: NewEventSubscriptions) {
    return subscriptions.subscribeToAll(scope, input);
  }

  @Mutation(() => EventSubscription, {
    description: 'Activate a disabled subscription and reset its failure count. Its waiting deliveries are sent.',
  })
  enableEventSubscription(@Ctx() scope: RequestScope, @Id() id: string) {
    return subscriptions.enableSubscription(scope, id);
  }

  @Mutation(() => DeletedEventSubscriptions, {
    description: 'Delete subscriptions by id, or by URL and event. Their pending deliveries are not sent.',
  })
  deleteEventSubscriptions(
    @Ctx() scope: RequestScope,
    @Args(() => EventSubscriptionSelection) selection: EventSubscriptionSelection,
  ) {
    return subscriptions.unsubscribe(scope, selection);
  }
}
