import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { deleteById, lockName, readRows } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { requireReachable } from '../../../platform/outbound/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import {
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
import { emitProductEvents } from '../changes/events.ts';
import {
  CreatedWebhook,
  DeletedWebhook,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDeliveriesArguments,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryUpdate,
} from './types.ts';

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
