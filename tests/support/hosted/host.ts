import { stopFully } from '../../../platform/queues/background.ts';
import { readGatewayConfiguration } from '../../../start/gateway/configuration.ts';
import { startProduct } from '../../../start/gateway/product.ts';
import { runProcess } from '../../../start/process/run.ts';

/** The process of `openGateway`: many gateways that have loaded the product once. */

type Request = { id: number } & ({ open: Record<string, string> } | { close: number });

const gateways = new Map<number, () => Promise<void>>();
/** Gateways open one at a time: each reads its own `process.env`, and building one blocks the connections of another. */
let opening: Promise<unknown> = Promise.resolve();

async function readConfiguration(env: Record<string, string>) {
  const own = process.env;
  process.env = env;
  try {
    return await readGatewayConfiguration();
  } finally {
    process.env = own;
  }
}

async function open(id: number, env: Record<string, string>) {
  const leaving = new AbortController();
  const { addresses, close } = await startProduct(await readConfiguration(env), leaving.signal);
  gateways.set(id, () => {
    leaving.abort();
    return close(stopFully);
  });
  return addresses;
}

function openNext(id: number, env: Record<string, string>) {
  const opened = opening.then(() => open(id, env));
  opening = opened.catch(() => {});
  return opened;
}

async function close(id: number) {
  await gateways.get(id)?.();
  gateways.delete(id);
}

async function answer(request: Request) {
  const { id } = request;
  const reply = await ('open' in request ? openNext(id, request.open) : close(request.close)).then(
    (addresses) => ({ id, addresses }),
    (error: Error) => ({ id, error: error.message }),
  );
  // After the end of the test run nobody waits for it.
  if (process.connected) process.send!(reply);
}

await runProcess('host', async () => {
  process.on('message', (request: Request) => void answer(request));
  return {
    close: async () => void (await Promise.all([...gateways.keys()].map(close))),
  };
});
// The channel does not keep the process alive.
setInterval(() => {}, 60_000);
