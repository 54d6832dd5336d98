import type { Duration } from '@temporalio/common';
import { proxyActivities } from '@temporalio/workflow';

/** Runs the sweep of this name once. A schedule starts it, and gives it the row of `sweeps.ts`. */
export function sweep(name: string, lease: Duration): Promise<unknown> {
  const activities = proxyActivities<Record<string, () => Promise<unknown>>>({
    startToCloseTimeout: lease,
    // The schedule runs again.
    retry: { maximumAttempts: 1 },
  });
  return activities[name]!();
}
