import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { PageOf } from '../../../platform/lists/index.ts';
import { DeliveryFields, DeliveryLogArguments, DeliveryUpdateFields } from '../../../platform/webhooks/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'A subscription of a URL to job events.' })
export class Webhook {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  url!: string;

  @Field(() => enumTypes.WebhookMethod)
  method!: EnumValue<'WebhookMethod'>;

  @Field(() => [enumTypes.WebhookEvent], { description: 'The events that the webhook receives.' })
  eventType!: EnumValue<'WebhookEvent'>[];

  @Field(() => Boolean, { description: 'A disabled webhook receives no events.' })
  enabled!: boolean;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType({ description: 'A new webhook and its signing secret.' })
export class CreatedWebhook extends Webhook {
  @Field(() => String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`. Store it: it cannot be read again. Null in the response to a repeated `Idempotency-Key`.',
  })
  secret!: string | null;
}

@ObjectType({ description: 'Confirms that a webhook was deleted.' })
export class DeletedWebhook {
  @Field(() => Boolean, { description: 'Always true.' })
  deleted!: boolean;
}

const URL_RULE = 'An http or https URL on the public internet, or on a host that the operator allows.';

@InputType({ description: 'A webhook to create. The service generates its signing secret.' })
export class NewWebhook {
  @Limited({ minLength: 1, maxLength: 2_048, format: 'uri' })
  @Field(() => String, { description: URL_RULE })
  url!: string;

  @Field(() => enumTypes.WebhookMethod, { defaultValue: 'post' })
  method!: EnumValue<'WebhookMethod'>;

  @Limited({ minItems: 1, maxItems: 100 })
  @Field(() => [enumTypes.WebhookEvent], { description: 'Duplicates are ignored.' })
  eventType!: EnumValue<'WebhookEvent'>[];

  @Field(() => Boolean, { defaultValue: true, description: 'A disabled webhook receives no events.' })
  enabled!: boolean;
}

@InputType({ description: 'Changes to a webhook. Omitted fields stay unchanged; no field can be null.' })
export class WebhookChange {
  @Limited({ minLength: 1, maxLength: 2_048, format: 'uri' })
  @Field(() => String, { nullable: true, description: URL_RULE })
  url?: string | null;

  @Field(() => enumTypes.WebhookMethod, { nullable: true })
  method?: EnumValue<'WebhookMethod'> | null;

  @Limited({ minItems: 1, maxItems: 100 })
  @Field(() => [enumTypes.WebhookEvent], { nullable: true, description: 'Replaces the current events. Duplicates are ignored.' })
  eventType?: EnumValue<'WebhookEvent'>[] | null;

  @Field(() => Boolean, { nullable: true, description: 'A disabled webhook receives no events.' })
  enabled?: boolean | null;
}

@ObjectType({ description: 'One event for one webhook.' })
export class WebhookDelivery extends DeliveryFields {
  @Field(() => enumTypes.WebhookEvent)
  event!: EnumValue<'WebhookEvent'>;
}

@ObjectType({ description: 'One page of deliveries.' })
export class WebhookDeliveryPage extends PageOf(WebhookDelivery, 'WebhookDeliveryPage') {}

@ObjectType({ description: 'One attempt of a webhook.' })
export class WebhookDeliveryUpdate extends DeliveryUpdateFields {
  deliveryId!: string;
}

@ArgsType()
export class WebhookDeliveriesArguments extends DeliveryLogArguments {
  @Field(() => ID)
  webhookId!: string;

  @Field(() => enumTypes.WebhookEvent, { nullable: true, description: 'Only deliveries of this event.' })
  event?: EnumValue<'WebhookEvent'> | null;
}
