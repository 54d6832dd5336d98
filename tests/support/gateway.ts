import { type Running, startProcess } from './processes.ts';
import { environmentOf } from './system.ts';

/** Start another gateway process on the database of the shared system; `env` overrides variables. */
export async function startGateway(env: Record<string, string> = {}) {
  const running = await startProcess('start/gateway.ts', [], environmentOf({ env }));
  return { ...running, url: running.addresses.url!, siteUrl: running.addresses.siteUrl! };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** Start another worker process, which has its own task queue; `env` overrides variables. */
export const startWorker = (env: Record<string, string> = {}): Promise<Running> =>
  startProcess('start/worker.ts', [], environmentOf({ env }));

/** Start a subgraph process on the database of the shared system; `env` overrides variables. */
export const startSubgraph = (name: string, env: Record<string, string> = {}): Promise<Running> =>
  startProcess('start/subgraph.ts', [name], environmentOf({ env }));
