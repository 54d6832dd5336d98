import { type Scope, transaction } from '../scope.ts';
import { announce } from './announce.ts';
import { insertEvent } from './emit.ts';
import { Delivery, WebhookSubscription } from './entity.ts';
import { requireEnabled } from './subscriptions.ts';

/** Sample payloads of the events of a surface. */
export type Samples = Readonly<Record<string, Record<string, unknown>>>;

/**
 * Send a sample of the first event of a subscription to this subscription only, under the same rules as a real event. Throws
 * `UNPROCESSABLE` if it is disabled.
 */
export function sendTest(scope: Scope, subscription: WebhookSubscription, samples: Samples): Promise<Delivery> {
  requireEnabled(subscription);
  const event = subscription.events[0]!;
  return transaction(scope, async (inner) => {
    const [id] = await insertEvent(inner, [subscription], {
      event,
      payload: samples[event] ?? {},
      aboutId: subscription.aboutId,
    });
    announce(inner);
    return inner.em.findOneOrFail(Delivery, id!);
  });
}
