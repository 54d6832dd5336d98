import type { Deliverer } from '../../subgraphs/common/webhooks/deliverer.ts';

export type WebhookActivities = ReturnType<typeof webhookActivities>;

export const webhookActivities = (deliverer: Deliverer) => ({
  sweepDeliveries: () => deliverer.sweep(),
});
