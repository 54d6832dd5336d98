import { startProcess } from './processes.ts';
import { environmentOf } from './system.ts';

/** Start another gateway process on the database of the shared system; `env` overrides variables. */
export async function startGateway(env: Record<string, string> = {}) {
  const environment = environmentOf({
    databaseUrl: process.env.TEST_DATABASE_URL!,
    temporalAddress: process.env.TEST_TEMPORAL_ADDRESS!,
    provider: process.env.TEST_PROVIDER!,
    env,
  });
  const running = await startProcess('start/gateway.ts', [], environment);
  return { ...running, url: running.addresses.url!, siteUrl: running.addresses.siteUrl! };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
