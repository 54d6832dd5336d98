import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type GraphQLSchema, printSchema } from 'graphql';
import type { UsageCollector } from './collector.ts';
import { partsOf, type SchemaPart } from './schema-changes.ts';
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

export interface FlushOptions {
  /**
   * Stores a batch, and returns the hashes of the operations that it has no room for. It must store a batch with a known writer and sequence
   * once only.
   */
  store(batch: UsageBatch): Promise<readonly string[]>;
  /** Milliseconds between two batches; default 10,000. A killed process loses at most the counts of that time. */
  interval?: number;
  /** Receives the failure of a batch, which is sent again after the interval. */
  onFailure?: (error: unknown) => void;
}

/** Milliseconds of the last batches, when the database may be silent. */
const LAST_MS = 5_000;

/** Store the counts of a collector periodically. Returns a function that stops, and has 5 seconds to store the last counts. */
export function flushUsage(collector: UsageCollector, { store, interval = 10_000, onFailure }: FlushOptions): () => Promise<void> {
  let running: Promise<void> | undefined;
  const flush = async () => {
    const batch = collector.take();
    if (!batch) return;
    try {
      collector.stored(batch, await store(batch));
    } catch (error) {
      onFailure?.(error);
    }
  };
  const start = () => {
    running ??= flush().finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(start, interval).unref();
  return async () => {
    clearInterval(timer);
    const storeRest = async () => {
      await running;
      // A batch that failed before comes first, and the counts since then after it.
      await start();
      await start();
    };
    await Promise.race([storeRest(), wait(LAST_MS, undefined, { ref: false })]);
  };
}
