import type { Deliverer } from '../../platform/webhooks/index.ts';

export type WebhookActivities = ReturnType<typeof webhookActivities>;

export const webhookActivities = (deliverer: Deliverer) => ({
  sweepDeliveries: () => deliverer.sweep(),
});
