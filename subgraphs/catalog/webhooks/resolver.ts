import { Arg, Args, Authorized, Ctx, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { deleteById, lockName, readRows } from '../../../platform/database/index.ts';
import { args, changeOf, field, Id, input, list, output } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize, PageOf } from '../../../platform/lists/index.ts';
import { requireReachable } from '../../../platform/outbound/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import {
  DeliveryFields,
  DeliveryLogArguments,
  DeliveryUpdateFields,
  deliveriesOf,
  deliveryFields,
  deliveryOperations,
  disable,
  enable,
  findSubscription,
  newSigningSecret,
  secretName,
  WebhookSubscription,
} from '../../../platform/webhooks/index.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { emitProductEvents } from '../changes/events.ts';

@ObjectType({ description: 'A subscription of a URL to job events.' })
class Webhook extends output({
  id: field(ID),
  url: field(String),
  method: field(enumTypes.WebhookMethod),
  eventType: list(enumTypes.WebhookEvent, 'The events that the webhook receives.'),
  enabled: field(Boolean, 'A disabled webhook receives no events.'),
  createdAt: field(Date),
  updatedAt: field(Date),
}) {}

@ObjectType({ description: 'A new webhook and its signing secret.' })
class CreatedWebhook extends output(Webhook, {
  secret: field(String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`. Store it: it cannot be read again. Null in the response to a repeated `Idempotency-Key`.',
  }),
}) {}

@ObjectType({ description: 'Confirms that a webhook was deleted.' })
class DeletedWebhook extends output({
  deleted: field(Boolean, 'Always true.'),
}) {}

const URL_RULE = 'An http or https URL on the public internet, or on a host that the operator allows.';

@InputType({ description: 'A webhook to create. The service generates its signing secret.' })
class NewWebhook extends input({
  url: field(String, { minLength: 1, maxLength: 2_048, format: 'uri', description: URL_RULE }),
  method: field(enumTypes.WebhookMethod, { defaultValue: 'post' }),
  eventType: list(enumTypes.WebhookEvent, { minItems: 1, maxItems: 100, description: 'Duplicates are ignored.' }),
  enabled: field(Boolean, { defaultValue: true, description: 'A disabled webhook receives no events.' }),
}) {}

@InputType({ description: 'Changes to a webhook. Omitted fields stay unchanged; no field can be null.' })
class WebhookChange extends changeOf(NewWebhook, {
  descriptions: { eventType: 'Replaces the current events. Duplicates are ignored.' },
}) {}

@ObjectType({ description: 'One event for one webhook.' })
class WebhookDelivery extends output(DeliveryFields, {
  event: field(enumTypes.WebhookEvent),
}) {}

@ObjectType({ description: 'One page of deliveries.' })
class WebhookDeliveryPage extends PageOf(WebhookDelivery, 'WebhookDeliveryPage') {}

@ObjectType({ description: 'One attempt of a webhook.' })
class WebhookDeliveryUpdate extends DeliveryUpdateFields {
  deliveryId!: string;
}

class WebhookDeliveriesArguments extends args(DeliveryLogArguments, {
  webhookId: field(ID),
  event: field(enumTypes.WebhookEvent, { nullable: true, description: 'Only deliveries of this event.' }),
}) {}

const surface = 'catalog';
const MAX_WEBHOOKS = 10;
const deliveries = deliveriesOf(surface);

const DESCRIPTION =
  'The deliveries of a webhook in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.';

@Resolver()
class WebhookDeliveriesResolver {
  @Authorized('member')
  @Query(() => WebhookDeliveryPage, { nullable: true, description: DESCRIPTION })
  webhookDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => WebhookDeliveriesArguments) { webhookId, page, limit, ...filter }: WebhookDeliveriesArguments,
  ) {
    return deliveries.page(scope, webhookId, filter, { page, limit });
  }
}

const api = {
  surface,
  name: 'webhook',
  delivery: WebhookDelivery,
  update: WebhookDeliveryUpdate,
  test: {
    name: 'testWebhook',
    description: 'Send a sample of the first event of a webhook, under the same rules as a real event.',
  },
  subscription: { argument: 'webhookId', noun: 'a webhook', ofDelivery: 'a webhook' },
} as const;

export const webhookDeliveryResolvers = [WebhookDeliveriesResolver, ...deliveryFields(api), ...deliveryOperations(api)] as const;

@Access('member')
@Resolver(() => Webhook)
export class WebhookResolver {
  @ListSize(MAX_WEBHOOKS)
  @Query(() => [Webhook], { description: 'The webhooks of the organization, newest first.' })
  async webhooks(@Ctx() scope: RequestScope): Promise<Webhook[]> {
    const rows = await readRows(
      scope,
      WebhookSubscription,
      { where: { surface }, orderBy: { createdAt: 'desc', id: 'desc' } },
      { limit: MAX_WEBHOOKS, offset: 0 },
    );
    return rows.map(toWebhook);
  }

  /** Creates a webhook. Only this result contains the signing secret. */
  @Idempotent({ prepares: true, shownOnce: ['secret'] })
  @Mutation(() => CreatedWebhook, { description: 'Create a webhook. An organization can have up to ten.' })
  async createWebhook(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewWebhook) { eventType, ...input }: NewWebhook,
  ): Promise<CreatedWebhook> {
    // Fails before the DNS lookup. The transaction repeats the check, because only its lock keeps the count valid.
    await requireRoom(scope);
    await requireReachable(scope, input.url);
    const secret = newSigningSecret();
    return scope.write(async (inner) => {
      const { em, organizationId, services } = inner;
      await lockName(em, `webhooks of ${organizationId}`);
      await requireRoom(inner);
      const made = em.create(WebhookSubscription, { ...input, events: [...new Set(eventType)], surface, organizationId });
      made.secret = services.secrets.seal(secret, secretName(made));
      await emitProductEvents(inner, made.events);
      return { ...toWebhook(made), secret };
    });
  }

  @Mutation(() => Webhook, { description: 'Change a webhook. Omitted fields stay unchanged.' })
  updateWebhook(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => WebhookChange) input: WebhookChange) {
    return updateWebhook(scope, id, input);
  }

  /** Deletes a webhook with its deliveries, including pending ones. Throws `NOT_FOUND`. */
  @Mutation(() => DeletedWebhook, { description: 'Delete a webhook. Its pending deliveries are not sent.' })
  async deleteWebhook(@Ctx() scope: RequestScope, @Id() id: string) {
    await transaction(scope, ({ em }) => deleteById(em, WebhookSubscription, id, 'Webhook', { surface }));
    return { deleted: true };
  }
}

/** Changes the given fields. Throws `NOT_FOUND`. */
async function updateWebhook(scope: RequestScope, id: string, change: WebhookChange): Promise<Webhook> {
  for (const [name, value] of Object.entries(change)) if (value === null) throw fail('INVALID_INPUT', `${name} must not be null`);
  const { url, method, eventType, enabled } = change;
  if (url && url !== (await findSubscription(scope, surface, id)).url) await requireReachable(scope, url);
  // In one transaction, so that a sweep never finds the events without the webhook that wants them.
  return scope.write(async (inner) => {
    const webhook = await findSubscription(inner, surface, id);
    if (url) webhook.url = url;
    if (method) webhook.method = method;
    if (eventType) webhook.events = [...new Set(eventType)];
    await emitProductEvents(inner, webhook.events);
    if (enabled) await enable(inner, webhook);
    if (enabled === false) await disable(inner, webhook);
    await inner.em.flush();
    return toWebhook(webhook);
  });
}

async function requireRoom({ em }: Scope): Promise<void> {
  if ((await em.count(WebhookSubscription, { surface })) >= MAX_WEBHOOKS)
    throw fail('LIMIT_REACHED', `Webhook limit reached. You can create up to ${MAX_WEBHOOKS} webhooks.`);
}

const toWebhook = ({ id, url, method, events, enabled, createdAt, updatedAt }: WebhookSubscription): Webhook => ({
  id,
  url,
  method,
  eventType: events as Webhook['eventType'],
  enabled,
  createdAt,
  updatedAt,
});
