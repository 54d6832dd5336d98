import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { canonicalId, isId, lockName, readRows } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { requireReachable } from '../../../platform/outbound/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import {
  deliveriesOf,
  deliveryFields,
  deliveryOperations,
  enable,
  findSubscription,
  newSigningSecret,
  secretName,
  WebhookSubscription,
} from '../../../platform/webhooks/index.ts';
import { type EnumValue, enums } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { findAgent, requireAgent } from '../agents/service.ts';
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
  /** The subscriptions of the organization, newest first. */
  @Query(() => EventSubscriptions, { description: 'The event subscriptions of the organization.' })
  async eventSubscriptions(
    @Ctx() scope: RequestScope,
    @Args(() => EventSubscriptionsArguments) { ofRestApi }: EventSubscriptionsArguments,
  ): Promise<EventSubscriptions> {
    const rows = await readRows(
      scope,
      WebhookSubscription,
      {
        columns: COLUMNS,
        joined: { source: `case when r.secret is null then 'automation' else 'custom' end` },
        where: { surface },
        orderBy: { createdAt: 'desc', id: 'desc' },
      },
      { limit: MAX_SUBSCRIPTIONS, offset: 0 },
    );
    const all = rows.map((row) => toSubscription(row, (row as unknown as EventSubscription).source));
    return {
      subscriptions: ofRestApi ? all.filter(({ event }) => ofRest.includes(event)) : all,
      availableEvents: documented,
    };
  }

  /**
   * Subscribe a URL to an event. If it is subscribed already, the subscription becomes active again, its failure count is reset, and the
   * limit does not apply. Throws `NOT_FOUND` for an unknown agent, and `LIMIT_REACHED` at 100 subscriptions.
   */
  @Idempotent({ prepares: true, shownOnce: ['secret'] })
  @Mutation(() => CreatedEventSubscription, {
    description: 'Subscribe a URL to an event, or activate its subscription again. An organization can have up to 100.',
  })
  createEventSubscription(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewEventSubscription) { event, ...input }: NewEventSubscription,
  ): Promise<CreatedEventSubscription> {
    return store(scope, [event], input, ({ subscriptions, secret }) => ({ ...subscriptions[0]!, secret }));
  }

  /** Subscribe a URL to several events, as `createEventSubscription` does. A secret that the URL already has signs them all. */
  @Idempotent({ prepares: true, shownOnce: ['secret'] })
  @Mutation(() => CreatedEventSubscriptions, {
    description:
      'Subscribe a URL to several events at once, or activate its subscriptions again: all of them, or none. An organization can have up to 100 subscriptions.',
  })
  createEventSubscriptions(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewEventSubscriptions) { events, ...input }: NewEventSubscriptions,
  ): Promise<CreatedEventSubscriptions> {
    return store(scope, [...new Set(events)], input, (made) => made, { reusesSecret: true });
  }

  @Mutation(() => EventSubscription, {
    description: 'Activate a disabled subscription and reset its failure count. Its waiting deliveries are sent.',
  })
  enableEventSubscription(@Ctx() scope: RequestScope, @Id() id: string): Promise<EventSubscription> {
    return scope.write(async (inner) => {
      const subscription = await findSubscription(inner, surface, id);
      await enable(inner, subscription);
      await inner.em.populate(subscription, ['secret']);
      return toSubscription(subscription, subscription.secret ? 'custom' : 'automation');
    });
  }

  /** Delete subscriptions by id, or by URL and event. Throws `INVALID_INPUT` without either. */
  @Mutation(() => DeletedEventSubscriptions, {
    description: 'Delete subscriptions by id, or by URL and event. Their pending deliveries are not sent.',
  })
  async deleteEventSubscriptions(
    @Ctx() scope: RequestScope,
    @Args(() => EventSubscriptionSelection) { id, targetUrl, event }: EventSubscriptionSelection,
  ) {
    if (!id && !(targetUrl && event)) throw fail('INVALID_INPUT', 'id, or both targetUrl and event, are required');
    if (id && !isId(id)) return { deleted: 0 };
    const selected = id ? { id } : { url: targetUrl!, events: { $contains: [event!] } };
    return transaction(scope, async ({ em }) => ({
      deleted: await em.nativeDelete(WebhookSubscription, { surface, ...selected }),
    }));
  }
}

const MAX_SUBSCRIPTIONS = 100;
const COLUMNS = ['id', 'events', 'url', 'aboutId', 'enabled', 'failureCount', 'disabledAt', 'createdAt'] as const;

/** The documented events, which callers of REST know. REST also accepts `agent.tests.failed`, and GraphQL all events. */
const documented = enums.IntegrationEvent.values.filter((event) => event !== 'agent.tests.failed');
const ofRest: readonly string[] = enums.IntegrationEvent.values;

/** The result is made within the transaction, which stores it for a repeated request. */
async function store<Result>(
  scope: RequestScope,
  events: readonly EnumValue<'AgentEvent'>[],
  { source, targetUrl: url, agentId }: Omit<NewEventSubscription, 'event'>,
  toResult: (made: CreatedEventSubscriptions) => Result,
  { reusesSecret = false } = {},
): Promise<Result> {
  const known = (aboutId: string | null) => ({ surface, url, aboutId, events: { $overlap: [...events] } }) as const;
  // Fails before the DNS lookup. The transaction repeats the check, because only its lock keeps the count valid.
  if (agentId != null) await requireAgent(scope, agentId);
  const subscribed = await scope.em.count(WebhookSubscription, known(agentId == null ? null : canonicalId(agentId)));
  await requireRoom(scope, events.length - subscribed);
  await requireReachable(scope, url, 'targetUrl', ['https']);
  return scope.write(async (inner) => {
    const { em, organizationId, services } = inner;
    // An empty id must not widen the subscription to all agents.
    const aboutId = agentId == null ? null : (await findAgent(inner, agentId)).id;
    await lockName(em, `event subscriptions of ${organizationId}`);
    const existing = await em.find(WebhookSubscription, known(aboutId), { populate: ['secret'] });
    await requireRoom(inner, events.length - existing.length);
    const found = new Map(existing.map((each) => [each.events[0], each]));
    const selected = events.map(
      (event) =>
        found.get(event) ??
        em.create(WebhookSubscription, { surface, url, events: [event], aboutId, organizationId, method: 'post' }),
    );
    const unsigned = source === 'custom' ? selected.filter(({ secret }) => !secret) : [];
    const former = reusesSecret && unsigned.length > 0 ? await secretOf(inner, url) : null;
    const secret = unsigned.length > 0 && former === null ? newSigningSecret() : null;
    for (const each of unsigned) each.secret = services.secrets.seal(former ?? secret!, secretName(each));
    if (source === 'automation') for (const each of selected) each.secret = null;
    await em.flush();
    for (const each of existing) await enable(inner, each);
    return toResult({ subscriptions: selected.map((each) => toSubscription(each, source)), secret });
  });
}

/** The secret that signs the events of a URL since the longest time; null without one. */
async function secretOf({ em, services }: Scope, url: string): Promise<string | null> {
  const signed = await em.findOne(
    WebhookSubscription,
    { surface, url, secret: { $ne: null } },
    { populate: ['secret'], orderBy: { createdAt: 'asc', id: 'asc' } },
  );
  return signed?.secret ? services.secrets.open(signed.secret, secretName(signed)) : null;
}

async function requireRoom({ em }: Scope, added: number): Promise<void> {
  if (added > 0 && (await em.count(WebhookSubscription, { surface })) + added > MAX_SUBSCRIPTIONS)
    throw fail('LIMIT_REACHED', `Subscription limit reached. You can create up to ${MAX_SUBSCRIPTIONS} subscriptions.`);
}

const toSubscription = (
  { id, events, url, aboutId, enabled, failureCount, disabledAt, createdAt }: WebhookSubscription,
  source: EventSubscription['source'],
): EventSubscription => ({
  id,
  event: events[0] as EventSubscription['event'],
  targetUrl: url,
  source,
  agentId: aboutId,
  status: enabled ? 'active' : 'disabled',
  failureCount,
  disabledAt,
  createdAt,
});
