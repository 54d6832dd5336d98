import type { Reply } from './hosted/broker.ts';
import { type Running, startProcess } from './processes.ts';
import { environmentOf, type SystemOptions } from './system.ts';

/** Start another gateway process on the database of the shared system; `env` overrides variables. */
export async function startGateway(env: Record<string, string> = {}) {
  const running = await startProcess('start/gateway.ts', [], environmentOf({ env }));
  return { ...running, url: running.addresses.url!, siteUrl: running.addresses.siteUrl! };
}

/**
 * Open another gateway like `startGateway`, but in a process that test files share. It takes half of the CPU time, but blocks the
 * others meanwhile. Use `startGateway` for a test that ends the process, reads its output, sets variables of the process, compares
 * processes, or depends on short timeouts.
 */
export async function openGateway(env: Record<string, string> = {}) {
  const { id, addresses } = await askHost({ open: { SHUTDOWN_DELAY: '0', LOG_LEVEL: 'warn', ...environmentOf({ env }) } });
  const stop = async (): Promise<void> => {
    await askHost({ close: id });
  };
  return { url: addresses!.url!, siteUrl: addresses!.siteUrl!, stop };
}

export type Gateway = Awaited<ReturnType<typeof openGateway>>;
export type GatewayProcess = Awaited<ReturnType<typeof startGateway>>;

async function askHost(request: object): Promise<Reply> {
  const response = await fetch(process.env.TEST_GATEWAYS!, { method: 'POST', body: JSON.stringify(request) });
  const reply = (await response.json()) as Reply;
  if (reply.error) throw new Error(reply.error);
  return reply;
}

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
