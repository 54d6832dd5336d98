import { createHash } from 'node:crypto';
import { flushUsage, type Gateway, partsOf, type Source, type UsageBatch, type UsageCollector } from 'compiled-gateway';
import { type GraphQLSchema, parse, printSchema } from 'graphql';
import type { Logger } from 'pino';

const operation = (text: string) => ({ text, document: parse(text) });
const usageMutation = operation('mutation ($batch: String!) { recordUsage(batch: $batch) }');
const schemaMutation = operation('mutation ($schema: String!) { recordSchema(schema: $schema) }');
const context = { headers: {} };

interface RecordingOptions {
  gateway: Pick<Gateway, 'schema'>;
  /** The subgraph that stores the counts. */
  catalog: Source;
  logger: Logger;
}

/**
 * Store the counts of the gateway every 10 seconds, and each schema that it serves. Returns a function that stores the last counts and
 * stops.
 */
export function recordUsage(collector: UsageCollector, { gateway, catalog, logger }: RecordingOptions): () => Promise<void> {
  let recorded: GraphQLSchema | undefined;

  async function run(mutation: ReturnType<typeof operation>, variables: Record<string, string>) {
    const { data, errors } = await catalog.execute({ ...mutation, variables, context, isUnique: true });
    if (errors?.length || !data) throw new Error(`The catalog does not store it: ${errors?.[0]?.message}`);
    return data;
  }
  async function recordSchema() {
    const { schema } = gateway;
    if (schema === recorded) return;
    const text = printSchema(schema);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    await run(schemaMutation, { schema: JSON.stringify({ hash, text, parts: partsOf(schema) }) });
    recorded = schema;
  }
  async function store(batch: UsageBatch): Promise<string[]> {
    await recordSchema();
    return (await run(usageMutation, { batch: JSON.stringify(batch) })).recordUsage as string[];
  }
  const onFailure = (err: unknown) => logger.warn({ err }, 'Failed to store the counts of operations; trying again');
  recordSchema().catch(onFailure);
  return flushUsage(collector, { store, onFailure });
}
