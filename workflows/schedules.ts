import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { log } from '../platform/telemetry/index.ts';
import type * as workflows from './workflows.ts';

interface Sweep {
  name: string;
  every: '1 minute' | '1 hour';
  workflowType: keyof typeof workflows;
  workflowRunTimeout: '5 minutes' | '15 minutes';
}

const sweeps: Sweep[] = [
  { name: 'webhook-delivery', every: '1 minute', workflowType: 'sweepWebhooks', workflowRunTimeout: '5 minutes' },
  { name: 'source-refresh', every: '1 minute', workflowType: 'sweepSources', workflowRunTimeout: '5 minutes' },
  { name: 'site-publication', every: '1 minute', workflowType: 'sweepPublications', workflowRunTimeout: '5 minutes' },
  { name: 'evidence', every: '1 hour', workflowType: 'sweepEvidence', workflowRunTimeout: '15 minutes' },
  { name: 'tool-calls', every: '1 hour', workflowType: 'sweepToolCalls', workflowRunTimeout: '15 minutes' },
  { name: 'identity', every: '1 hour', workflowType: 'sweepIdentity', workflowRunTimeout: '15 minutes' },
  { name: 'changes', every: '1 hour', workflowType: 'sweepOrganizationChanges', workflowRunTimeout: '15 minutes' },
];

const scheduleId = (name: string, taskQueue: string): string => `${name}/${taskQueue}`;

/** The ids of all schedules of a task queue. */
export const scheduleIds = (taskQueue: string): string[] => sweeps.map(({ name }) => scheduleId(name, taskQueue));

/**
 * Creates the schedules that are missing. Temporal stores them, so any number of workers share one of each. Returns whether all exist
 * afterwards.
 */
export async function ensureSchedules({ schedule }: Client, taskQueue: string): Promise<boolean> {
  let isComplete = true;
  for (const { name, every, workflowType, workflowRunTimeout } of sweeps) {
    const id = scheduleId(name, taskQueue);
    await schedule
      .create({
        scheduleId: id,
        spec: { intervals: [{ every }] },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
        action: { type: 'startWorkflow', workflowType, workflowId: id, taskQueue, workflowRunTimeout },
      })
      .catch((error: unknown) => {
        if (error instanceof ScheduleAlreadyRunning) return;
        isComplete = false;
        log.warn({ err: error, id }, 'Failed to create a schedule; trying again later');
      });
  }
  return isComplete;
}
