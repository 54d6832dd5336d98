import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { type Attempt, DeliveryFields, DeliveryUpdateFields } from '../../../platform/webhooks/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { ListOf, PageArguments } from '../list.ts';

@ObjectType({ description: 'One event for one webhook of a workspace.' })
export class SiteWebhookDelivery extends DeliveryFields {
  subscriptionId!: string;

  @Field(() => wordTypes.SiteEvent)
  event!: Word<'SiteEvent'>;
}

@ArgsType()
export class SiteWebhookDeliveriesArguments extends PageArguments {
  @Field(() => ID)
  webhookId!: string;

  @Field(() => wordTypes.WebhookDeliveryStatus, { nullable: true, description: 'Only deliveries with this status.' })
  status?: Word<'WebhookDeliveryStatus'> | null;

  @Field(() => wordTypes.SiteEvent, { nullable: true, description: 'Only deliveries of this event.' })
  event?: Word<'SiteEvent'> | null;

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
  declare attempt: Attempt;
}
