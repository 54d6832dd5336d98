import { proxyActivities } from '@temporalio/workflow';
import type { ToolCallActivities } from './activities.ts';

const { sweepCalls } = proxyActivities<ToolCallActivities>({
  startToCloseTimeout: '10 minutes',
  // The schedule runs again in an hour.
  retry: { maximumAttempts: 1 },
});

/** Delete old audit records of tool calls, and fail the records of calls that were interrupted. */
export const sweepToolCalls = () => sweepCalls();
