import type { RequestScope } from '../../../platform/scope/index.ts';
import {
  type Attempt,
  attemptsOf,
  bodyOf,
  deliveriesOf,
  type ReplayRange,
  replayDelivery,
  WebhookSubscription,
} from '../../../platform/webhooks/index.ts';
import { isEditor } from '../content/access.ts';
import type { SiteWebhookDeliveriesArguments, SiteWebhookDelivery } from './delivery-types.ts';
import { requireEditorOf } from './service.ts';

const surface = 'site-content';
const deliveries = deliveriesOf(surface);

export const { find: findDelivery, follow, findReplay, checkSignatures } = deliveries;

/** The deliveries of a webhook in the last 30 days, newest first. */
export async function listDeliveries(scope: RequestScope, request: SiteWebhookDeliveriesArguments) {
  const { webhookId, page, perPage, ...filter } = request;
  const { nodes, pagination } = await deliveries.page(scope, webhookId, filter, { page, limit: perPage });
  const { total, totalPages } = pagination;
  return { nodes: nodes as unknown as SiteWebhookDelivery[], meta: { page, perPage, total, totalPages } };
}

/** Send a sample of the first event. Throws `UNPROCESSABLE` for a disabled webhook. */
export async function testWebhook(scope: RequestScope, id: string) {
  await requireEditorOf(scope, id);
  return deliveries.test(scope, id);
}

/** Throws `NOT_FOUND`, also for a delivery of another webhook, and `UNPROCESSABLE` for a disabled webhook. */
export async function replay(scope: RequestScope, webhookId: string, id: string) {
  await requireEditorOf(scope, webhookId);
  return replayDelivery(scope, id, { surface, subscriptionId: webhookId.toLowerCase() });
}

/** Throws `UNPROCESSABLE` for a disabled webhook or too many deliveries, and `CONFLICT` while another replay is running. */
export async function replayRange(scope: RequestScope, webhookId: string, range: ReplayRange) {
  await requireEditorOf(scope, webhookId);
  return deliveries.replayRange(scope, webhookId, range);
}

/** Stop a running replay. Deliveries that it has scheduled are still sent. */
export async function stopReplay(scope: RequestScope, id: string) {
  const { subscriptionId } = await findReplay(scope, id);
  await requireEditorOf(scope, subscriptionId);
  return deliveries.stopReplay(scope, id);
}

/** The body of a delivery; null for callers who may not read drafts. */
export const readBody = async (scope: RequestScope, { id, subscriptionId }: SiteWebhookDelivery): Promise<string | null> =>
  (await mayReadDrafts(scope, subscriptionId)) ? bodyOf(scope, surface, id) : null;

/** The latest attempts of a delivery, without responses for callers who may not read drafts. */
export async function readAttempts(scope: RequestScope, { id, subscriptionId }: SiteWebhookDelivery): Promise<Attempt[]> {
  const [attempts, isReader] = await Promise.all([attemptsOf(scope, id), mayReadDrafts(scope, subscriptionId)]);
  return isReader ? attempts : attempts.map(withoutResponse);
}

/** An attempt, without its response for callers who may not read drafts. */
export const readAttempt = async (scope: RequestScope, attempt: Attempt): Promise<Attempt> =>
  (await mayReadDrafts(scope, attempt.subscriptionId!)) ? attempt : withoutResponse(attempt);

const withoutResponse = (attempt: Attempt): Attempt => ({ ...attempt, responseSnippet: null });

/** Reads the role anew, because it may change while a caller follows the updates. */
async function mayReadDrafts(scope: RequestScope, subscriptionId: string): Promise<boolean> {
  const webhook = await scope.load(WebhookSubscription, subscriptionId);
  return webhook !== null && isEditor(scope, webhook.aboutId!);
}
