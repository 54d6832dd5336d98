import { proxyActivities } from '@temporalio/workflow';
import type { WebhookActivities } from './activities.ts';

const { sweepDeliveries } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '2 minutes',
  // The next minute sweeps again.
  retry: { maximumAttempts: 1 },
});

/** Deliver the webhooks that are due: retries, and whatever a process that was told of it did not live to send. */
export const sweepWebhooks = () => sweepDeliveries();
