import type { PageRequest } from '../../common/page.ts';
import type { Scope } from '../../common/scope.ts';
import { type DeliveryFilter, deliveriesPage } from '../../common/webhooks/log.ts';
import * as replays from '../../common/webhooks/replay.ts';
import { findSubscription } from '../../common/webhooks/subscriptions.ts';
import { sendTest } from '../../common/webhooks/test-event.ts';
import { samples } from './samples.ts';

const surface = 'catalog';

/** The deliveries of a webhook, newest first. Throws `NOT_FOUND` for an unknown webhook. */
export async function listDeliveries(scope: Scope, webhookId: string, filter: DeliveryFilter, page: PageRequest) {
  const { id } = await findSubscription(scope, surface, webhookId);
  return deliveriesPage(scope, id, filter, page);
}

/** Send a delivery again. Throws like the function of the same name in `common`. */
export const replayDelivery = (scope: Scope, id: string) => replays.replayDelivery(scope, id, { surface });

/** Send a sample of the first event of a webhook. Throws `NOT_FOUND`, and `UNPROCESSABLE` if it is disabled. */
export const testWebhook = async (scope: Scope, webhookId: string) =>
  sendTest(scope, await findSubscription(scope, surface, webhookId), samples);
