import { type Source, storeUsage, type UsageCollector, type UsageStore } from 'compiled-gateway';
import { parse } from 'graphql';
import type { Logger } from 'pino';

const operation = (text: string) => ({ text, document: parse(text) });
const usageMutation = operation('mutation ($batch: String!) { recordUsage(batch: $batch) }');
const schemaMutation = operation('mutation ($schema: String!) { recordSchema(schema: $schema) }');
const context = { headers: {} };

interface RecordingOptions {
  gateway: Parameters<typeof storeUsage>[1]['gateway'];
  /** The subgraph that stores the counts. */
  catalog: Source;
  logger: Logger;
}

/** Store the counts of the gateway and its schemas. Returns a function that stores the last counts and stops. */
export function recordUsage(collector: UsageCollector, { gateway, catalog, logger }: RecordingOptions): () => Promise<void> {
  async function run(mutation: ReturnType<typeof operation>, variables: Record<string, string>) {
    const { data, errors } = await catalog.execute({ ...mutation, variables, context, isUnique: true });
    if (errors?.length || !data) throw new Error(`The catalog does not store it: ${errors?.[0]?.message}`);
    return data;
  }
  const store: UsageStore = {
    recordUsage: async (batch) => (await run(usageMutation, { batch: JSON.stringify(batch) })).recordUsage as string[],
    recordSchema: async (schema) => void (await run(schemaMutation, { schema: JSON.stringify(schema) })),
  };
  const onFailure = (err: unknown) => logger.warn({ err }, 'Failed to store the counts of operations; trying again');
  return storeUsage(collector, { gateway, store, onFailure });
}
