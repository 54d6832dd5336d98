import { proxyActivities } from '@temporalio/workflow';
import type { WebhookActivities } from './activities.ts';

const { sweepDeliveries } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '2 minutes',
  // The schedule runs again in a minute.
  retry: { maximumAttempts: 1 },
});

/** Send the deliveries that are due: retries, and those of a process that crashed. */
export const sweepWebhooks = () => sweepDeliveries();
