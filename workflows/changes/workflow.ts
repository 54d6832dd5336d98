import { proxyActivities } from '@temporalio/workflow';
import type { ChangeActivities } from './activities.ts';

const { sweepChanges } = proxyActivities<ChangeActivities>({
  startToCloseTimeout: '10 minutes',
  // The schedule runs again in an hour.
  retry: { maximumAttempts: 1 },
});

/** Delete old changes, which `jobsChanged` streams, and old deletions in the feeds of site content. */
export const sweepOrganizationChanges = () => sweepChanges();
