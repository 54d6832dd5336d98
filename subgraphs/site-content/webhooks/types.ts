import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { changeOf, type Limit, Limited } from '../../../platform/input/index.ts';
import { DeliveryFields, DeliveryUpdateFields } from '../../../platform/webhooks/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { TITLE } from '../content/entity.ts';
import { ListOf, PageArguments } from '../site-list.ts';

const URL_LIMIT: Limit = { minLength: 1, maxLength: 2_048, format: 'uri' };
const URL_RULE = 'An https URL without credentials, on the public internet or on a host that the operator allows.';

@ObjectType({ description: 'A subscription of a URL to events of a workspace.' })
export class SiteWebhook {
  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  workspaceId!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  url!: string;

  @Field(() => [enumTypes.SiteEvent], { description: 'The events that the webhook receives.' })
  events!: EnumValue<'SiteEvent'>[];

  @Field(() => Boolean, { description: 'A disabled webhook receives no events. Fifteen consecutive failures disable it.' })
  enabled!: boolean;

  @Field(() => Int, { description: 'Failed attempts since the last success.' })
  failureCount!: number;

  @Field(() => Date, { nullable: true, description: 'When failures last disabled the webhook; null if they never did.' })
  disabledAt!: Date | null;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the last attempt was made; null if there was none in the last 30 days.' })
  lastDeliveryAt!: Date | null;
}

@ObjectType({ description: 'The signing secret of a webhook.' })
export class SiteWebhookSecret {
  @Field(() => String, { description: 'The key of `x-svc-signature`.' })
  secret!: string;

  @Field(() => Date, {
    nullable: true,
    description: 'Until then, deliveries also have a signature of the previous secret; null if there is none.',
  })
  previousSecretExpiresAt!: Date | null;
}

@InputType({ description: 'A webhook of a workspace to create. The service generates its signing secret.' })
export class NewSiteWebhook {
  @Field(() => ID)
  workspaceId!: string;

  @Limited(TITLE)
  @Field(() => String)
  name!: string;

  @Limited(URL_LIMIT)
  @Field(() => String, { description: URL_RULE })
  url!: string;

  @Limited({ minItems: 1, maxItems: 100 })
  @Field(() => [enumTypes.SiteEvent], { description: 'Duplicates are ignored.' })
  events!: EnumValue<'SiteEvent'>[];
}

@InputType({ description: 'Changes to a webhook of a workspace. Omitted fields stay unchanged; no field can be null.' })
export class SiteWebhookChange extends changeOf(NewSiteWebhook, {
  without: ['workspaceId'],
  notNull: true,
  descriptions: { events: 'Replaces the current events. Duplicates are ignored.' },
}) {
  @Limited({ notNull: true })
  @Field(() => Boolean, { nullable: true, description: 'Enabling resets the failure count and sends waiting deliveries.' })
  enabled?: boolean;
}

@ArgsType()
export class SiteWebhooksArguments extends PageArguments {
  @Field(() => ID, { nullable: true, description: 'Only webhooks of this workspace.' })
  workspaceId?: string | null;
}

@ObjectType({ description: 'One page of webhooks of workspaces.' })
export class SiteWebhookList extends ListOf(SiteWebhook, 'SiteWebhookList') {}

@ObjectType({ description: 'One event for one webhook of a workspace.' })
export class SiteWebhookDelivery extends DeliveryFields {
  @Field(() => enumTypes.SiteEvent)
  event!: EnumValue<'SiteEvent'>;
}

@ArgsType()
export class SiteWebhookDeliveriesArguments extends PageArguments {
  @Field(() => ID)
  webhookId!: string;

  @Field(() => enumTypes.WebhookDeliveryStatus, { nullable: true, description: 'Only deliveries with this status.' })
  status?: EnumValue<'WebhookDeliveryStatus'> | null;

  @Field(() => enumTypes.SiteEvent, { nullable: true, description: 'Only deliveries of this event.' })
  event?: EnumValue<'SiteEvent'> | null;

  @Field(() => Date, { nullable: true, description: 'Only deliveries created at or after this time.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only deliveries created before this time.' })
  to?: Date | null;
}

@ObjectType({ description: 'One page of deliveries of a webhook of a workspace.' })
export class SiteWebhookDeliveryList extends ListOf(SiteWebhookDelivery, 'SiteWebhookDeliveryList') {}

@ObjectType({ description: 'One attempt of a webhook of a workspace.' })
export class SiteWebhookDeliveryUpdate extends DeliveryUpdateFields {
  deliveryId!: string;
}
