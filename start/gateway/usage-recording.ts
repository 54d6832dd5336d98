import type { Source } from 'compiled-gateway';
import { flushUsage, type UsageBatch, type UsageCollector } from 'compiled-gateway';
import { parse } from 'graphql';
import type { Logger } from 'pino';

const text = 'mutation ($batch: String!) { recordUsage(batch: $batch) }';
const document = parse(text);
const context = { headers: {} };

interface RecordingOptions {
  /** The subgraph that stores the counts. */
  catalog: Source;
  logger: Logger;
}

/** Store the counts of the gateway every 10 seconds. Returns a function that stores the last ones and stops. */
export function recordUsage(collector: UsageCollector, { catalog, logger }: RecordingOptions): () => Promise<void> {
  async function store(batch: UsageBatch): Promise<string[]> {
    const variables = { batch: JSON.stringify(batch) };
    const { data, errors } = await catalog.execute({ document, text, variables, context, isUnique: true });
    if (errors?.length || !data) throw new Error(`The counts are not stored: ${errors?.[0]?.message}`);
    return data.recordUsage as string[];
  }
  return flushUsage(collector, {
    store,
    onFailure: (err) => logger.warn({ err }, 'Failed to store the counts of operations; trying again'),
  });
}
