import { createHash } from 'node:crypto';
import { type GraphQLSchema, printSchema } from 'graphql';
import type { UsageCollector } from './collector.ts';
import { flushUsage } from './flushing.ts';
import { partsOf, type SchemaPart } from './schema-parts.ts';
import type { UsageBatch } from './usage-contract.ts';

/** A schema that a gateway serves to its callers. */
export interface ServedSchema {
  readonly hash: string;
  /** SDL. */
  readonly text: string;
  readonly parts: readonly SchemaPart[];
}

/** Stores what a gateway counts, and the schemas that it serves. */
export interface UsageStore {
  /** See `FlushOptions.store`. */
  recordUsage(batch: UsageBatch): Promise<readonly string[]>;
  recordSchema(schema: ServedSchema): Promise<void>;
}

interface StoringOptions {
  /** The gateway that the collector belongs to. */
  gateway: { readonly schema: GraphQLSchema };
  store: UsageStore;
  /** Receives each failure. The next time comes after 10 seconds. */
  onFailure(error: unknown): void;
}

/**
 * Store the counts of a gateway every 10 seconds, and each schema that it serves. Returns a function that stores the last counts and stops.
 */
export function storeUsage(collector: UsageCollector, { gateway, store, onFailure }: StoringOptions): () => Promise<void> {
  let recorded: GraphQLSchema | undefined;

  async function recordSchema() {
    const { schema } = gateway;
    if (schema === recorded) return;
    const text = printSchema(schema);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    await store.recordSchema({ hash, text, parts: partsOf(schema) });
    recorded = schema;
  }
  recordSchema().catch(onFailure);
  return flushUsage(collector, {
    async store(batch) {
      // The counts do not depend on it.
      await recordSchema().catch(onFailure);
      return store.recordUsage(batch);
    },
    onFailure,
  });
}
