import type { FastifyBaseLogger } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { openRegistry } from '../registry/registry-database.ts';
import { recordSchema } from '../registry/served-schemas.ts';
import { recordUsage } from '../registry/usage-records.ts';
import { deleteOldUsage } from '../registry/usage-retention.ts';
import type { UsageCollector } from '../usage/collector.ts';
import { storeUsage } from '../usage/storing.ts';

interface CountingOptions {
  /** Address of the registry. */
  database: string;
  gateway: { readonly schema: GraphQLSchema };
  log: FastifyBaseLogger;
}

const HOUR = 3_600_000;

/** Keep the counts of a gateway in its registry. Returns a function that stores the last counts and stops. */
export async function countUsage(
  collector: UsageCollector,
  { database, gateway, log }: CountingOptions,
): Promise<() => Promise<void>> {
  const registry = await openRegistry(database, { connections: 2 });
  let creating: Promise<void> | undefined;
  // The database may be away when the server starts.
  const createTables = () => {
    creating ??= registry.createTables().catch((error: unknown) => {
      creating = undefined;
      throw error;
    });
    return creating;
  };
  const stop = storeUsage(collector, {
    gateway,
    store: {
      async recordUsage(batch) {
        await createTables();
        return recordUsage(registry, batch);
      },
      async recordSchema(schema) {
        await createTables();
        await recordSchema(registry, schema);
      },
    },
    onFailure: (err) => log.warn({ registry: registry.name, err }, 'Failed to store the counts of operations; trying again'),
  });
  const timer = setInterval(() => {
    deleteOldUsage(registry).catch((err) => log.warn({ registry: registry.name, err }, 'Failed to delete old counts'));
  }, HOUR).unref();
  return async () => {
    clearInterval(timer);
    await stop();
    await registry.close();
  };
}
