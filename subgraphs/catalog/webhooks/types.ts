import { ID, InputType, ObjectType } from 'type-graphql';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { PageOf } from '../../../platform/lists/index.ts';
import { DeliveryFields, DeliveryLogArguments, DeliveryUpdateFields } from '../../../platform/webhooks/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'A subscription of a URL to job events.' })
export class Webhook extends output({
  id: field(ID),
  url: field(String),
  method: field(enumTypes.WebhookMethod),
  eventType: list(enumTypes.WebhookEvent, 'The events that the webhook receives.'),
  enabled: field(Boolean, 'A disabled webhook receives no events.'),
  createdAt: field(Date),
  updatedAt: field(Date),
}) {}

@ObjectType({ description: 'A new webhook and its signing secret.' })
export class CreatedWebhook extends output(Webhook, {
  secret: field(String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`. Store it: it cannot be read again. Null in the response to a repeated `Idempotency-Key`.',
  }),
}) {}

@ObjectType({ description: 'Confirms that a webhook was deleted.' })
export class DeletedWebhook extends output({
  deleted: field(Boolean, 'Always true.'),
}) {}

const URL_RULE = 'An http or https URL on the public internet, or on a host that the operator allows.';

@InputType({ description: 'A webhook to create. The service generates its signing secret.' })
export class NewWebhook extends input({
  url: field(String, { minLength: 1, maxLength: 2_048, format: 'uri', description: URL_RULE }),
  method: field(enumTypes.WebhookMethod, { defaultValue: 'post' }),
  eventType: list(enumTypes.WebhookEvent, { minItems: 1, maxItems: 100, description: 'Duplicates are ignored.' }),
  enabled: field(Boolean, { defaultValue: true, description: 'A disabled webhook receives no events.' }),
}) {}

@InputType({ description: 'Changes to a webhook. Omitted fields stay unchanged; no field can be null.' })
export class WebhookChange extends input({
  url: field(String, { minLength: 1, maxLength: 2_048, format: 'uri', nullable: true, description: URL_RULE }),
  method: field(enumTypes.WebhookMethod, { nullable: true }),
  eventType: list(enumTypes.WebhookEvent, {
    minItems: 1,
    maxItems: 100,
    nullable: true,
    description: 'Replaces the current events. Duplicates are ignored.',
  }),
  enabled: field(Boolean, { nullable: true, description: 'A disabled webhook receives no events.' }),
}) {}

@ObjectType({ description: 'One event for one webhook.' })
export class WebhookDelivery extends output(DeliveryFields, {
  event: field(enumTypes.WebhookEvent),
}) {}

@ObjectType({ description: 'One page of deliveries.' })
export class WebhookDeliveryPage extends PageOf(WebhookDelivery, 'WebhookDeliveryPage') {}

@ObjectType({ description: 'One attempt of a webhook.' })
export class WebhookDeliveryUpdate extends DeliveryUpdateFields {
  deliveryId!: string;
}

export class WebhookDeliveriesArguments extends args(DeliveryLogArguments, {
  webhookId: field(ID),
  event: field(enumTypes.WebhookEvent, { nullable: true, description: 'Only deliveries of this event.' }),
}) {}
