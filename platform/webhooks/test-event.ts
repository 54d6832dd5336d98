import { type WebhookEventType, webhookEvents } from '../../schema/webhook-events.ts';
import { type Scope, transaction } from '../scope/index.ts';
import { announce, insertEvent } from './emit.ts';
import { Delivery, WebhookSubscription } from './entity.ts';
import { requireEnabled } from './subscriptions.ts';

/**
 * Send a sample of the first event of a subscription to this subscription only, under the same rules as a real event. Throws
 * `UNPROCESSABLE` if it is disabled.
 */
export function sendTest(scope: Scope, subscription: WebhookSubscription): Promise<Delivery> {
  requireEnabled(subscription);
  const event = subscription.events[0]!;
  const types: Readonly<Record<string, WebhookEventType>> = webhookEvents[subscription.surface];
  return transaction(scope, async (inner) => {
    const [id] = await insertEvent(inner, [subscription], {
      event,
      payload: types[event]?.data ?? {},
      aboutId: subscription.aboutId,
    });
    announce(inner);
    return inner.em.findOneOrFail(Delivery, id!);
  });
}
