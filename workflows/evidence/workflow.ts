import { proxyActivities } from '@temporalio/workflow';
import type { EvidenceActivities } from './activities.ts';

const { forgetEvidence } = proxyActivities<EvidenceActivities>({
  startToCloseTimeout: '10 minutes',
  // The next hour sweeps again.
  retry: { maximumAttempts: 1 },
});

/** Drop what was kept for running jobs again and is too old or too much. */
export const sweepEvidence = () => forgetEvidence();
