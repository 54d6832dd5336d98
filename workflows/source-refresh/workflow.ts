import { proxyActivities } from '@temporalio/workflow';
import type { SourceActivities } from '../source/activities.ts';

const { refreshSources } = proxyActivities<SourceActivities>({
  startToCloseTimeout: '2 minutes',
  // The schedule runs again in a minute.
  retry: { maximumAttempts: 1 },
});

/** Queue the knowledge sources whose refresh is due. */
export const sweepSources = () => refreshSources();
