import { ID, InputType, Int, ObjectType } from 'type-graphql';
import { args, changeOf, field, input, type Limit, list, output } from '../../../platform/fields/index.ts';
import { DeliveryFields, DeliveryUpdateFields } from '../../../platform/webhooks/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { TITLE } from '../content/entity.ts';
import { ListOf, PageArguments } from '../site-list.ts';

const URL_LIMIT: Limit = { minLength: 1, maxLength: 2_048, format: 'uri' };
const URL_RULE = 'An https URL without credentials, on the public internet or on a host that the operator allows.';

@ObjectType({ description: 'A subscription of a URL to events of a workspace.' })
export class SiteWebhook extends output({
  id: field(ID),
  workspaceId: field(ID),
  name: field(String),
  url: field(String),
  events: list(enumTypes.SiteEvent, 'The events that the webhook receives.'),
  enabled: field(Boolean, 'A disabled webhook receives no events. Fifteen consecutive failures disable it.'),
  failureCount: field(Int, 'Failed attempts since the last success.'),
  disabledAt: field(Date, { nullable: true, description: 'When failures last disabled the webhook; null if they never did.' }),
  createdAt: field(Date),
  updatedAt: field(Date),
  lastDeliveryAt: field(Date, {
    nullable: true,
    description: 'When the last attempt was made; null if there was none in the last 30 days.',
  }),
}) {}

@ObjectType({ description: 'The signing secret of a webhook.' })
export class SiteWebhookSecret extends output({
  secret: field(String, 'The key of `x-svc-signature`.'),
  previousSecretExpiresAt: field(Date, {
    nullable: true,
    description: 'Until then, deliveries also have a signature of the previous secret; null if there is none.',
  }),
}) {}

@InputType({ description: 'A webhook of a workspace to create. The service generates its signing secret.' })
export class NewSiteWebhook extends input({
  workspaceId: field(ID),
  name: field(String, { ...TITLE }),
  url: field(String, { ...URL_LIMIT, description: URL_RULE }),
  events: list(enumTypes.SiteEvent, { minItems: 1, maxItems: 100, description: 'Duplicates are ignored.' }),
}) {}

@InputType({ description: 'Changes to a webhook of a workspace. Omitted fields stay unchanged; no field can be null.' })
export class SiteWebhookChange extends input(
  changeOf(NewSiteWebhook, {
    without: ['workspaceId'],
    notNull: true,
    descriptions: { events: 'Replaces the current events. Duplicates are ignored.' },
  }),
  {
    enabled: field(Boolean, {
      notNull: true,
      nullable: true,
      description: 'Enabling resets the failure count and sends waiting deliveries.',
    }),
  },
) {}

export class SiteWebhooksArguments extends args(PageArguments, {
  workspaceId: field(ID, { nullable: true, description: 'Only webhooks of this workspace.' }),
}) {}

@ObjectType({ description: 'One page of webhooks of workspaces.' })
export class SiteWebhookList extends ListOf(SiteWebhook, 'SiteWebhookList') {}

@ObjectType({ description: 'One event for one webhook of a workspace.' })
export class SiteWebhookDelivery extends output(DeliveryFields, {
  event: field(enumTypes.SiteEvent),
}) {}

export class SiteWebhookDeliveriesArguments extends args(PageArguments, {
  webhookId: field(ID),
  status: field(enumTypes.WebhookDeliveryStatus, { nullable: true, description: 'Only deliveries with this status.' }),
  event: field(enumTypes.SiteEvent, { nullable: true, description: 'Only deliveries of this event.' }),
  from: field(Date, { nullable: true, description: 'Only deliveries created at or after this time.' }),
  to: field(Date, { nullable: true, description: 'Only deliveries created before this time.' }),
}) {}

@ObjectType({ description: 'One page of deliveries of a webhook of a workspace.' })
export class SiteWebhookDeliveryList extends ListOf(SiteWebhookDelivery, 'SiteWebhookDeliveryList') {}

@ObjectType({ description: 'One attempt of a webhook of a workspace.' })
export class SiteWebhookDeliveryUpdate extends DeliveryUpdateFields {
  deliveryId!: string;
}
