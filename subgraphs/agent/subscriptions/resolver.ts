import { Arg, Args, Authorized, Ctx, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { canonicalId, isId, lockName, readRows } from '../../../platform/database/index.ts';
import { args, field, Id, input, type Limit, list, output } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { PageOf } from '../../../platform/lists/index.ts';
import { requireReachable } from '../../../platform/outbound/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import {
  DeliveryFields,
  DeliveryLogArguments,
  DeliveryUpdateFields,
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
import { enumTypes } from '../../../schema/scalars.ts';
import { findAgent, requireAgent } from '../agents/service.ts';

const TARGET = 'An https URL without credentials on the public internet, or on a host that the operator allows.';
/** URLs are ASCII (RFC 3986), so a URL that was subscribed fits into the query that deletes its subscription. */
const TARGET_URL: Limit = { maxLength: 2_048, format: 'uri', pattern: /^[!-~]*$/ };

@ObjectType({ description: 'A subscription of a URL to one event of agents.' })
class EventSubscription extends output({
  id: field(ID),
  event: field(enumTypes.AgentEvent),
  targetUrl: field(String),
  source: field(enumTypes.EventSubscriptionSource),
  agentId: field(ID, { nullable: true, description: 'Null for events of all agents.' }),
  status: field(enumTypes.EventSubscriptionStatus),
  failureCount: field(Int, 'Failed attempts since the last success.'),
  disabledAt: field(Date, { nullable: true, description: 'When failures last disabled the subscription; null if they never did.' }),
  createdAt: field(Date),
}) {}

@ObjectType({ description: 'A subscription, with its signing secret if it is new.' })
class CreatedEventSubscription extends output(EventSubscription, {
  secret: field(String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`. Store it: it cannot be read again. Null for `automation`, and when the subscription existed before.',
  }),
}) {}

@ObjectType({ description: 'The subscriptions of a URL to several events.' })
class CreatedEventSubscriptions extends output({
  subscriptions: list(EventSubscription, { assumedSize: 10, description: 'One for each event, in the order of the request.' }),
  secret: field(String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`, which new subscriptions share. Store it: it cannot be read again. Null for `automation`, and when the URL already had a secret, which then signs these events, too.',
  }),
}) {}

@ObjectType({ description: 'The event subscriptions of the organization.' })
class EventSubscriptions extends output({
  subscriptions: list(EventSubscription, { assumedSize: 20, description: 'Newest first; at most 100.' }),
  availableEvents: list(
    enumTypes.IntegrationEvent,
    'The documented events of the REST API, which also accepts `agent.tests.failed`. `createEventSubscriptions` accepts more.',
  ).as<readonly EnumValue<'IntegrationEvent'>[]>(),
}) {}

@InputType({ description: 'A subscription to create. An existing one with the same URL, event and agent becomes active again.' })
class NewEventSubscription extends input({
  event: field(enumTypes.IntegrationEvent),
  targetUrl: field(String, { ...TARGET_URL, minLength: 1, description: TARGET }),
  agentId: field(ID, { nullable: true, description: 'Default: events of all agents.' }),
  source: field(enumTypes.EventSubscriptionSource, { defaultValue: 'custom' }),
}) {}

@InputType({ description: 'Subscriptions to create. Existing ones with the same URL, event and agent become active again.' })
class NewEventSubscriptions extends input({
  events: list(enumTypes.AgentEvent, { minItems: 1, maxItems: 100, description: 'Duplicates are ignored.' }),
  targetUrl: field(String, { ...TARGET_URL, minLength: 1, description: TARGET }),
  agentId: field(ID, { nullable: true, description: 'Default: events of all agents.' }),
  source: field(enumTypes.EventSubscriptionSource, { defaultValue: 'custom' }),
}) {}

class EventSubscriptionsArguments extends args({
  ofRestApi: field(Boolean, { defaultValue: false, description: 'Only subscriptions to the events that the REST API has.' }),
}) {}

class EventSubscriptionSelection extends args({
  id: field(ID, { nullable: true, description: 'Required unless both `targetUrl` and `event` are set.' }),
  targetUrl: field(String, { ...TARGET_URL, nullable: true }),
  event: field(enumTypes.IntegrationEvent, { nullable: true }),
}) {}

@ObjectType({ description: 'The result of deleting event subscriptions.' })
class DeletedEventSubscriptions extends output({
  deleted: field(Int, 'Number of deleted subscriptions; 0 if there was none.'),
}) {}

@ObjectType({ description: 'One event for one subscription.' })
class EventDelivery extends output(DeliveryFields, {
  event: field(enumTypes.AgentEvent),
}) {}

@ObjectType({ description: 'One page of deliveries.' })
class EventDeliveryPage extends PageOf(EventDelivery, 'EventDeliveryPage') {}

@ObjectType({ description: 'One attempt of a subscription.' })
class EventDeliveryUpdate extends DeliveryUpdateFields {
  deliveryId!: string;
}

class EventDeliveriesArguments extends args(DeliveryLogArguments, {
  subscriptionId: field(ID),
  event: field(enumTypes.IntegrationEvent, { nullable: true, description: 'Only deliveries of this event.' }),
}) {}

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
