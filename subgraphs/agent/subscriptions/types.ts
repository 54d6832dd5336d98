import { ID, InputType, Int, ObjectType } from 'type-graphql';
import { args, field, input, type Limit, list, output } from '../../../platform/fields/index.ts';
import { PageOf } from '../../../platform/lists/index.ts';
import { DeliveryFields, DeliveryLogArguments, DeliveryUpdateFields } from '../../../platform/webhooks/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

const TARGET = 'An https URL without credentials on the public internet, or on a host that the operator allows.';
/** URLs are ASCII (RFC 3986), so a URL that was subscribed fits into the query that deletes its subscription. */
const TARGET_URL: Limit = { maxLength: 2_048, format: 'uri', pattern: /^[!-~]*$/ };

@ObjectType({ description: 'A subscription of a URL to one event of agents.' })
export class EventSubscription extends output({
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
export class CreatedEventSubscription extends output(EventSubscription, {
  secret: field(String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`. Store it: it cannot be read again. Null for `automation`, and when the subscription existed before.',
  }),
}) {}

@ObjectType({ description: 'The subscriptions of a URL to several events.' })
export class CreatedEventSubscriptions extends output({
  subscriptions: list(EventSubscription, { assumedSize: 10, description: 'One for each event, in the order of the request.' }),
  secret: field(String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`, which new subscriptions share. Store it: it cannot be read again. Null for `automation`, and when the URL already had a secret, which then signs these events, too.',
  }),
}) {}

@ObjectType({ description: 'The event subscriptions of the organization.' })
export class EventSubscriptions extends output({
  subscriptions: list(EventSubscription, { assumedSize: 20, description: 'Newest first; at most 100.' }),
  availableEvents: list(
    enumTypes.IntegrationEvent,
    'The documented events of the REST API, which also accepts `agent.tests.failed`. `createEventSubscriptions` accepts more.',
  ).as<readonly EnumValue<'IntegrationEvent'>[]>(),
}) {}

@InputType({ description: 'A subscription to create. An existing one with the same URL, event and agent becomes active again.' })
export class NewEventSubscription extends input({
  event: field(enumTypes.IntegrationEvent),
  targetUrl: field(String, { ...TARGET_URL, minLength: 1, description: TARGET }),
  agentId: field(ID, { nullable: true, description: 'Default: events of all agents.' }),
  source: field(enumTypes.EventSubscriptionSource, { defaultValue: 'custom' }),
}) {}

@InputType({ description: 'Subscriptions to create. Existing ones with the same URL, event and agent become active again.' })
export class NewEventSubscriptions extends input({
  events: list(enumTypes.AgentEvent, { minItems: 1, maxItems: 100, description: 'Duplicates are ignored.' }),
  targetUrl: field(String, { ...TARGET_URL, minLength: 1, description: TARGET }),
  agentId: field(ID, { nullable: true, description: 'Default: events of all agents.' }),
  source: field(enumTypes.EventSubscriptionSource, { defaultValue: 'custom' }),
}) {}

export class EventSubscriptionsArguments extends args({
  ofRestApi: field(Boolean, { defaultValue: false, description: 'Only subscriptions to the events that the REST API has.' }),
}) {}

export class EventSubscriptionSelection extends args({
  id: field(ID, { nullable: true, description: 'Required unless both `targetUrl` and `event` are set.' }),
  targetUrl: field(String, { ...TARGET_URL, nullable: true }),
  event: field(enumTypes.IntegrationEvent, { nullable: true }),
}) {}

@ObjectType({ description: 'The result of deleting event subscriptions.' })
export class DeletedEventSubscriptions extends output({
  deleted: field(Int, 'Number of deleted subscriptions; 0 if there was none.'),
}) {}

@ObjectType({ description: 'One event for one subscription.' })
export class EventDelivery extends output(DeliveryFields, {
  event: field(enumTypes.AgentEvent),
}) {}

@ObjectType({ description: 'One page of deliveries.' })
export class EventDeliveryPage extends PageOf(EventDelivery, 'EventDeliveryPage') {}

@ObjectType({ description: 'One attempt of a subscription.' })
export class EventDeliveryUpdate extends DeliveryUpdateFields {
  deliveryId!: string;
}

export class EventDeliveriesArguments extends args(DeliveryLogArguments, {
  subscriptionId: field(ID),
  event: field(enumTypes.IntegrationEvent, { nullable: true, description: 'Only deliveries of this event.' }),
}) {}
