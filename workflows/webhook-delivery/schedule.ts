import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { log } from '../../subgraphs/common/log.ts';

/** Sweep every minute. The schedule is Temporal's, so it is there once however many workers run. */
export async function ensureSweepSchedule({ schedule }: Client, taskQueue: string): Promise<void> {
  await schedule
    .create({
      scheduleId: `webhook-delivery/${taskQueue}`,
      spec: { intervals: [{ every: '1 minute' }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      action: {
        type: 'startWorkflow',
        workflowType: 'sweepWebhooks',
        workflowId: `webhook-delivery/${taskQueue}`,
        taskQueue,
        workflowRunTimeout: '5 minutes',
      },
    })
    .catch((error: unknown) => {
      if (!(error instanceof ScheduleAlreadyRunning)) log.warn({ err: error }, 'the sweep of webhooks could not be scheduled');
    });
}
