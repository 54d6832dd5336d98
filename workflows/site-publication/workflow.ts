import { proxyActivities } from '@temporalio/workflow';
import type { PublicationActivities } from './activities.ts';

const { publishDue } = proxyActivities<PublicationActivities>({
  startToCloseTimeout: '4 minutes',
  // The schedule runs again in a minute.
  retry: { maximumAttempts: 1 },
});

/** Publish the scheduled content whose time has come. */
export const sweepPublications = () => publishDue();
