import { deleteById, lockName, readRows } from '../../../platform/database/index.ts';
import { requireReachable } from '../../../platform/outbound/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import {
  disable,
  enable,
  findSubscription,
  newSigningSecret,
  secretName,
  WebhookSubscription,
} from '../../../platform/webhooks/index.ts';
import { fail } from '../../../schema/errors.ts';
import { emitProductEvents } from '../changes/events.ts';
import type { CreatedWebhook, NewWebhook, Webhook, WebhookChange } from './types.ts';

export const MAX_WEBHOOKS = 10;
const surface = 'catalog';

/** The webhooks of the organization, newest first. */
export async function listWebhooks(scope: Scope): Promise<Webhook[]> {
  const rows = await readRows(
    scope,
    WebhookSubscription,
    { where: { surface }, orderBy: { createdAt: 'desc', id: 'desc' } },
    { limit: MAX_WEBHOOKS, offset: 0 },
  );
  return rows.map(toWebhook);
}

/** Creates a webhook. Only this result contains the signing secret. */
export async function createWebhook(scope: RequestScope, { eventType, ...input }: NewWebhook): Promise<CreatedWebhook> {
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

/** Changes the given fields. Throws `NOT_FOUND`. */
export async function updateWebhook(scope: RequestScope, id: string, change: WebhookChange): Promise<Webhook> {
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

/** Deletes a webhook with its deliveries, including pending ones. Throws `NOT_FOUND`. */
export async function deleteWebhook(scope: Scope, id: string) {
  await transaction(scope, ({ em }) => deleteById(em, WebhookSubscription, id, 'Webhook', { surface }));
  return { deleted: true };
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
