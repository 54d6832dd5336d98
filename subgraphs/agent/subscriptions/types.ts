import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { type Limit, Limited } from '../../../platform/input/index.ts';
import { ListSize, PageOf } from '../../../platform/lists/index.ts';
import { DeliveryFields, DeliveryLogArguments, DeliveryUpdateFields } from '../../../platform/webhooks/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

const TARGET = 'An https URL without credentials on the public internet, or on a host that the operator allows.';
/** URLs are ASCII (RFC 3986), so a URL that was subscribed fits into the query that deletes its subscription. */
const TARGET_URL: Limit = { maxLength: 2_048, format: 'uri', pattern: /^[!-~]*$/ };

@ObjectType({ description: 'A subscription of a URL to one event of agents.' })
export class EventSubscription {
  @Field(() => ID)
  id!: string;

  @Field(() => enumTypes.AgentEvent)
  event!: EnumValue<'AgentEvent'>;

  @Field(() => String)
  targetUrl!: string;

  @Field(() => enumTypes.EventSubscriptionSource)
  source!: EnumValue<'EventSubscriptionSource'>;

  @Field(() => ID, { nullable: true, description: 'Null for events of all agents.' })
  agentId!: string | null;

  @Field(() => enumTypes.EventSubscriptionStatus)
  status!: EnumValue<'EventSubscriptionStatus'>;

  @Field(() => Int, { description: 'Failed attempts since the last success.' })
  failureCount!: number;

  @Field(() => Date, { nullable: true, description: 'When failures last disabled the subscription; null if they never did.' })
  disabledAt!: Date | null;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType({ description: 'A subscription, with its signing secret if it is new.' })
export class CreatedEventSubscription extends EventSubscription {
  @Field(() => String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`. Store it: it cannot be read again. Null for `automation`, and when the subscription existed before.',
  })
  secret!: string | null;
}

@ObjectType({ description: 'The subscriptions of a URL to several events.' })
export class CreatedEventSubscriptions {
  @ListSize(10)
  @Field(() => [EventSubscription], { description: 'One for each event, in the order of the request.' })
  subscriptions!: EventSubscription[];

  @Field(() => String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`, which new subscriptions share. Store it: it cannot be read again. Null for `automation`, and when the URL already had a secret, which then signs these events, too.',
  })
  secret!: string | null;
}

@ObjectType({ description: 'The event subscriptions of the organization.' })
export class EventSubscriptions {
  @ListSize(20)
  @Field(() => [EventSubscription], { description: 'Newest first; at most 100.' })
  subscriptions!: EventSubscription[];

  @Field(() => [enumTypes.IntegrationEvent], {
    description:
      'The documented events of the REST API, which also accepts `agent.tests.failed`. `createEventSubscriptions` accepts more.',
  })
  availableEvents!: readonly EnumValue<'IntegrationEvent'>[];
}

@InputType({ description: 'A subscription to create. An existing one with the same URL, event and agent becomes active again.' })
export class NewEventSubscription {
  @Field(() => enumTypes.IntegrationEvent)
  event!: EnumValue<'IntegrationEvent'>;

  @Limited({ ...TARGET_URL, minLength: 1 })
  @Field(() => String, { description: TARGET })
  targetUrl!: string;

  @Field(() => ID, { nullable: true, description: 'Default: events of all agents.' })
  agentId?: string | null;

  @Field(() => enumTypes.EventSubscriptionSource, { defaultValue: 'custom' })
  source!: EnumValue<'EventSubscriptionSource'>;
}

@InputType({ description: 'Subscriptions to create. Existing ones with the same URL, event and agent become active again.' })
export class NewEventSubscriptions {
  @Limited({ minItems: 1, maxItems: 100 })
  @Field(() => [enumTypes.AgentEvent], { description: 'Duplicates are ignored.' })
  events!: EnumValue<'AgentEvent'>[];

  @Limited({ ...TARGET_URL, minLength: 1 })
  @Field(() => String, { description: TARGET })
  targetUrl!: string;

  @Field(() => ID, { nullable: true, description: 'Default: events of all agents.' })
  agentId?: string | null;

  @Field(() => enumTypes.EventSubscriptionSource, { defaultValue: 'custom' })
  source!: EnumValue<'EventSubscriptionSource'>;
}

@ArgsType()
export class EventSubscriptionsArguments {
  @Field(() => Boolean, { defaultValue: false, description: 'Only subscriptions to the events that the REST API has.' })
  ofRestApi!: boolean;
}

@ArgsType()
export class EventSubscriptionSelection {
  @Field(() => ID, { nullable: true, description: 'Required unless both `targetUrl` and `event` are set.' })
  id?: string | null;

  @Limited(TARGET_URL)
  @Field(() => String, { nullable: true })
  targetUrl?: string | null;

  @Field(() => enumTypes.IntegrationEvent, { nullable: true })
  event?: EnumValue<'IntegrationEvent'> | null;
}

@ObjectType({ description: 'The result of deleting event subscriptions.' })
export class DeletedEventSubscriptions {
  @Field(() => Int, { description: 'Number of deleted subscriptions; 0 if there was none.' })
  deleted!: number;
}

@ObjectType({ description: 'One event for one subscription.' })
export class EventDelivery extends DeliveryFields {
  @Field(() => enumTypes.AgentEvent)
  event!: EnumValue<'AgentEvent'>;
}

@ObjectType({ description: 'One page of deliveries.' })
export class EventDeliveryPage extends PageOf(EventDelivery, 'EventDeliveryPage') {}

@ObjectType({ description: 'One attempt of a subscription.' })
export class EventDeliveryUpdate extends DeliveryUpdateFields {
  deliveryId!: string;
}

@ArgsType()
export class EventDeliveriesArguments extends DeliveryLogArguments {
  @Field(() => ID)
  subscriptionId!: string;

  @Field(() => enumTypes.IntegrationEvent, { nullable: true, description: 'Only deliveries of this event.' })
  event?: EnumValue<'IntegrationEvent'> | null;
}
