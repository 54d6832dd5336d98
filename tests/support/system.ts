import { environmentOf, type SystemOptions } from './environment.ts';
import { openGateway } from './gateway.ts';
import { type Running, startProcess } from './processes.ts';

export interface System {
  url: string;
  siteUrl: string;
  gateway: Running;
  worker: Running;
  stop(): Promise<void>;
}

/** Start a gateway process with its subgraphs, and a worker process. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const common = environmentOf(options);
  const gateway = await startProcess('start/gateway.ts', [], common);
  const worker = await startProcess('start/worker.ts', [], common);
  return {
    url: gateway.addresses.url!,
    siteUrl: gateway.addresses.siteUrl!,
    gateway,
    worker,
    async stop() {
      await Promise.all([gateway.stop(), worker.stop()]);
    },
  };
}

/** Start another gateway process on the database of the shared system; `env` overrides variables. */
export async function startGateway(env: Record<string, string> = {}) {
  const running = await startProcess('start/gateway.ts', [], environmentOf({ env }));
  return { ...running, url: running.addresses.url!, siteUrl: running.addresses.siteUrl! };
}

export type GatewayProcess = Awaited<ReturnType<typeof startGateway>>;

/**
 * Start another worker process, which has its own task queue; `env` overrides variables. It starts the jobs of its database, which must
 * therefore not be that of the shared system.
 */
export const startWorker = (env: Record<string, string> & { DATABASE_URL: string }): Promise<Running> =>
  startProcess('start/worker.ts', [], environmentOf({ env }));

/** Start a subgraph process on the database of the shared system; `env` overrides variables. */
export const startSubgraph = (name: string, env: Record<string, string> = {}): Promise<Running> =>
  startProcess('start/subgraph.ts', [name], environmentOf({ env }));

/** Open a gateway like `openGateway`, and start a worker process for its jobs, which a test may stop and start again. */
export async function openSystem(options: SystemOptions) {
  const env = environmentOf(options);
  const startWorker = () => startProcess('start/worker.ts', [], env);
  const gateway = await openGateway(env);
  const system = {
    url: gateway.url,
    taskQueue: env.TASK_QUEUE!,
    worker: await startWorker(),
    async startWorker() {
      system.worker = await startWorker();
    },
    async stop() {
      await Promise.all([gateway.stop(), system.worker.stop()]);
    },
  };
  return system;
}

export type OpenSystem = Awaited<ReturnType<typeof openSystem>>;
