import {
  type Client,
  type Connection,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { log } from '../platform/telemetry/index.ts';
import { searchAttributes } from './contract.ts';
import { sweeps } from './sweeps/sweeps.ts';
import type { sweep } from './sweeps/workflow.ts';

/** Milliseconds of each of the two steps. */
const TIMEOUT = 20_000;

/**
 * Creates the search attributes and the schedules that a namespace lacks. Returns whether nothing is missing afterwards. Without search
 * attributes no job starts, and without schedules no sweep runs, so the caller repeats it until then.
 */
export async function prepareNamespace(connection: Connection, client: Client, taskQueue: string): Promise<boolean> {
  const step = (work: () => Promise<boolean>) => connection.withDeadline(Date.now() + TIMEOUT, work);
  const hasAttributes = await step(() => addSearchAttributes(connection, client.options.namespace));
  const hasSchedules = await step(() => createSchedules(client, taskQueue));
  return hasAttributes && hasSchedules;
}

const KEYWORD = 2;
const ALREADY_EXISTS = 6;
const PERMISSION_DENIED = 7;

/** Returns whether there is nothing left to do. On Temporal Cloud, which denies this call, an operator adds them. */
async function addSearchAttributes({ operatorService }: Connection, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = Object.values(searchAttributes).filter(({ name }) => !Object.hasOwn(customAttributes, name));
    if (missing.length === 0) return true;
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name }) => [name, KEYWORD])),
    });
    return true;
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === ALREADY_EXISTS) return true;
    log.warn({ err: error }, 'Failed to check the search attributes');
    return code === PERMISSION_DENIED;
  }
}

const scheduleId = (name: string, taskQueue: string): string => `${name}/${taskQueue}`;

/** The ids of all schedules of a task queue. */
export const scheduleIds = (taskQueue: string): string[] => Object.keys(sweeps).map((name) => scheduleId(name, taskQueue));

/**
 * Temporal stores schedules, so any number of workers share one of each. One that another version created is replaced. Returns whether all
 * exist afterwards.
 */
async function createSchedules({ schedule }: Client, taskQueue: string): Promise<boolean> {
  let isComplete = true;
  for (const [name, { every, lease }] of Object.entries(sweeps)) {
    const id = scheduleId(name, taskQueue);
    const options: Omit<ScheduleOptions<ScheduleOptionsStartWorkflowAction<typeof sweep>>, 'scheduleId'> = {
      spec: { intervals: [{ every }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      action: {
        type: 'startWorkflow',
        workflowType: 'sweep',
        workflowId: id,
        taskQueue,
        args: [name, lease],
        workflowRunTimeout: '15 minutes',
      },
    };
    const replace = () => schedule.getHandle(id).update<typeof sweep>(({ state }) => ({ ...options, state }));
    await schedule
      .create<typeof sweep>({ scheduleId: id, ...options })
      .catch((error: unknown) => {
        if (error instanceof ScheduleAlreadyRunning) return replace();
        throw error;
      })
      .catch((error: unknown) => {
        isComplete = false;
        log.warn({ err: error, id }, 'Failed to create a schedule; trying again later');
      });
  }
  return isComplete;
}
