import { fail } from '../../schema/errors.ts';
import { webhookEvents } from '../../schema/webhook-events.ts';
import type { PageRequest } from '../lists/index.ts';
import type { RequestScope, Scope } from '../scope/index.ts';
import { type DeliveryFilter, deliveriesPage } from './delivery-log.ts';
import { policyOf, type WebhookSurface } from './policies.ts';
import { findDelivery, findReplay, type ReplayRange, sendTest, startReplay, stopReplay } from './replay.ts';
import { checkSignatures, type SignedRequest } from './signature/signature-check.ts';
import { findSubscription } from './subscriptions.ts';
import { followDeliveries } from './updates.ts';

/** The operations on deliveries of one surface. Ids of other surfaces and organizations are `NOT_FOUND`. */
export function deliveriesOf(surface: WebhookSurface) {
  const templates = templatesOf(surface);
  const find = (scope: Scope, subscriptionId: string) => findSubscription(scope, surface, subscriptionId);
  return {
    page: async (scope: Scope, subscriptionId: string, filter: DeliveryFilter, request: PageRequest) =>
      deliveriesPage(scope, (await find(scope, subscriptionId)).id, filter, request),
    find: (scope: Scope, id: string) => findDelivery(scope, id, { surface }),
    follow: async (scope: RequestScope, subscriptionId: string, after?: number | null) =>
      followDeliveries(scope, (await find(scope, subscriptionId)).id, after),
    test: async (scope: Scope, subscriptionId: string) => sendTest(scope, await find(scope, subscriptionId)),
    replayRange: async (scope: Scope, subscriptionId: string, range: ReplayRange) =>
      startReplay(scope, await find(scope, subscriptionId), range),
    findReplay: (scope: Scope, id: string) => findReplay(scope, surface, id),
    stopReplay: (scope: Scope, id: string) => stopReplay(scope, surface, id),
    /** Throws `RATE_LIMITED` beyond the rate limit of a key. */
    async checkSignatures({ services, caller }: RequestScope, request: SignedRequest) {
      const { allowed } = await services.rateLimit.count(`signatures of ${caller.userId}`);
      if (!allowed) throw fail('RATE_LIMITED', 'Too many signature checks. Try again in a minute.');
      return checkSignatures(request, templates);
    },
  };
}

/** A sample body of each event, whose keys are in the order of real ones. */
const templatesOf = (surface: WebhookSurface) =>
  Object.entries(webhookEvents[surface]).map(([event, { data: payload }]) =>
    policyOf(surface).envelope({ id: '', event, organizationId: '', subscriptionId: '', aboutId: null, occurredAt: '', payload }),
  );
