import { canonicalId, isId, lockName, readRows } from '../../../platform/database/index.ts';
import { requireReachable } from '../../../platform/outbound/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { enable, findSubscription, newSigningSecret, secretName, WebhookSubscription } from '../../../platform/webhooks/index.ts';
import { enums } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { findAgent, requireAgent } from '../agents/service.ts';
import type {
  CreatedEventSubscription,
  EventSubscription,
  EventSubscriptionSelection,
  EventSubscriptions,
  NewEventSubscription,
} from './types.ts';

const MAX_SUBSCRIPTIONS = 100;
const surface = 'integration';
const COLUMNS = ['id', 'events', 'url', 'aboutId', 'enabled', 'failureCount', 'disabledAt', 'createdAt'] as const;

/** The documented events, which callers of REST know. Others can be subscribed in the same way. */
const documented = enums.IntegrationEvent.values.filter((event) => event !== 'agent.tests.failed');

/** The subscriptions of the organization, newest first. */
export async function listSubscriptions(scope: Scope): Promise<EventSubscriptions> {
  const rows = await readRows(
    scope,
    WebhookSubscription,
    {
      columns: COLUMNS,
      joined: { source: `case when r.secret is null then 'automation' else 'custom' end` },
      where: { surface },
      orderBy: { createdAt: 'desc', id: 'desc' },
    },
    { limit: MAX_SUBSCRIPTIONS, offset: 0 },
  );
  return {
    subscriptions: rows.map((row) => toSubscription(row, (row as unknown as EventSubscription).source)),
    availableEvents: documented,
  };
}

/**
 * Subscribe a URL to an event. If it is subscribed already, the subscription becomes active again, its failure count is reset, and the
 * limit does not apply. Throws `NOT_FOUND` for an unknown agent, and `LIMIT_REACHED` at 100 subscriptions.
 */
export async function subscribe(scope: RequestScope, input: NewEventSubscription): Promise<CreatedEventSubscription> {
  const { event, source, targetUrl: url } = input;
  const subscribedTo = (aboutId: string | null) => ({ surface, url, events: { $contains: [event] }, aboutId }) as const;
  // Fails before the DNS lookup. The transaction repeats the check, because only its lock keeps the count valid.
  if (input.agentId != null) await requireAgent(scope, input.agentId);
  const known = subscribedTo(input.agentId == null ? null : canonicalId(input.agentId));
  if (!(await scope.em.count(WebhookSubscription, known))) await requireRoom(scope);
  await requireReachable(scope, url, 'targetUrl', ['https']);
  return scope.write(async (inner) => {
    const { em, organizationId, services } = inner;
    // An empty id must not widen the subscription to all agents.
    const aboutId = input.agentId == null ? null : (await findAgent(inner, input.agentId)).id;
    await lockName(em, `event subscriptions of ${organizationId}`);
    const existing = await em.findOne(WebhookSubscription, subscribedTo(aboutId), { populate: ['secret'] });
    if (!existing) await requireRoom(inner);
    const subscription =
      existing ?? em.create(WebhookSubscription, { surface, url, events: [event], aboutId, organizationId, method: 'post' });
    const needsSecret = source === 'custom' && !subscription.secret;
    const secret = needsSecret ? newSigningSecret() : null;
    if (secret) subscription.secret = services.secrets.seal(secret, secretName(subscription));
    if (source === 'automation') subscription.secret = null;
    if (existing) await enable(inner, existing);
    else await em.flush();
    return { ...toSubscription(subscription, source), secret };
  });
}

/** Activate a disabled subscription and reset its failure count. Its waiting deliveries are sent. Throws `NOT_FOUND`. */
export const enableSubscription = (scope: RequestScope, id: string): Promise<EventSubscription> =>
  scope.write(async (inner) => {
    const subscription = await findSubscription(inner, surface, id);
    await enable(inner, subscription);
    await inner.em.populate(subscription, ['secret']);
    return toSubscription(subscription, subscription.secret ? 'custom' : 'automation');
  });

/** Delete subscriptions by id, or by URL and event. Throws `INVALID_INPUT` without either. */
export async function unsubscribe(scope: Scope, { id, targetUrl, event }: EventSubscriptionSelection) {
  if (!id && !(targetUrl && event)) throw fail('INVALID_INPUT', 'id, or both targetUrl and event, are required');
  if (id && !isId(id)) return { deleted: 0 };
  const selected = id ? { id } : { url: targetUrl!, events: { $contains: [event!] } };
  return transaction(scope, async ({ em }) => ({ deleted: await em.nativeDelete(WebhookSubscription, { surface, ...selected }) }));
}

async function requireRoom({ em }: Scope): Promise<void> {
  if ((await em.count(WebhookSubscription, { surface })) >= MAX_SUBSCRIPTIONS)
    throw fail('LIMIT_REACHED', `Subscription limit reached. You can create up to ${MAX_SUBSCRIPTIONS} subscriptions.`);
}

const toSubscription = (
  { id, events, url, aboutId, enabled, failureCount, disabledAt, createdAt }: WebhookSubscription,
  source: EventSubscription['source'],
): EventSubscription => ({
  id,
  event: events[0] as EventSubscription['event'],
  targetUrl: url,
  source,
  agentId: aboutId,
  status: enabled ? 'active' : 'disabled',
  failureCount,
  disabledAt,
  createdAt,
});
