import { createDatabase } from '../support/database.ts';
import { environmentOf } from '../support/environment.ts';
import { type Running, startProcess } from '../support/processes.ts';
import { openSystem } from '../support/system.ts';

/** A gateway and a worker that a test may kill and start again, on a database of their own. `workerEnv` overrides variables of the worker. */
export async function openVictims(
  more: Record<string, string> = {},
  database?: { url: string; drop(): Promise<void> },
  workerEnv: Record<string, string> = {},
) {
  const own = database ?? (await createDatabase());
  const env = environmentOf({
    databaseUrl: own.url,
    env: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', ...more },
  });
  const victims = {
    databaseUrl: own.url,
    env,
    gateway: undefined as unknown as Running,
    worker: undefined as unknown as Running,
    url: () => victims.gateway.addresses.url!,
    async startWorker() {
      victims.worker = await startProcess('start/worker.ts', [], { ...env, ...workerEnv });
    },
    /** Restart on the same port, like a supervisor. */
    async startGateway() {
      victims.gateway = await startProcess('start/gateway.ts', [], env);
      env.PORT = new URL(victims.url()).port;
    },
    async close() {
      await Promise.all([victims.gateway.stop(), victims.worker.stop()]);
      await own.drop();
    },
  };
  await victims.startGateway();
  await victims.startWorker();
  return victims;
}

export type Victims = Awaited<ReturnType<typeof openVictims>>;

/** Like `openVictims`, but a test may kill only the worker. */
export async function openWorkerVictim(more: Record<string, string> = {}) {
  const own = await createDatabase();
  const system = await openSystem({ databaseUrl: own.url, env: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', ...more } });
  return Object.assign(system, {
    databaseUrl: own.url,
    async close() {
      await system.stop();
      await own.drop();
    },
  });
}

export type WorkerVictim = Awaited<ReturnType<typeof openWorkerVictim>>;
