import { Client, Connection } from '@temporalio/client';
import { scheduleIds } from '../../../workflows/namespace.ts';

export interface StoppedWorker {
  temporalAddress: string;
  taskQueue: string;
}

const clients = new Map<string, Promise<Client>>();

/** Delete the schedules of a task queue without workers, because they would start workflows every minute until the end of the tests. */
export async function deleteSchedules({ temporalAddress, taskQueue }: StoppedWorker): Promise<void> {
  const client = clients.get(temporalAddress) ?? connect(temporalAddress);
  clients.set(temporalAddress, client);
  // They only cost time, and a worker may have ended before it created them.
  const { schedule } = await client.catch(() => ({ schedule: undefined }));
  if (schedule) await Promise.allSettled(scheduleIds(taskQueue).map((id) => schedule.getHandle(id).delete()));
}

const connect = async (address: string): Promise<Client> => new Client({ connection: await Connection.connect({ address }) });
