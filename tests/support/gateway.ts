import { environmentOf } from './environment.ts';
import type { Reply } from './hosted/broker.ts';

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
async function askHost(request: object): Promise<Reply> {
  const response = await fetch(process.env.TEST_GATEWAYS!, { method: 'POST', body: JSON.stringify(request) });
  const reply = (await response.json()) as Reply;
  if (reply.error) throw new Error(reply.error);
  return reply;
}
