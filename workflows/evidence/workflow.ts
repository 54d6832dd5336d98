import { proxyActivities } from '@temporalio/workflow';
import type { EvidenceActivities } from './activities.ts';

const { forgetEvidence } = proxyActivities<EvidenceActivities>({
  startToCloseTimeout: '10 minutes',
  // The schedule runs again in an hour.
  retry: { maximumAttempts: 1 },
});

/** Delete stored evidence that is too old or exceeds its limit. */
export const sweepEvidence = () => forgetEvidence();
