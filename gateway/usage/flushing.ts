import { setTimeout as wait } from 'node:timers/promises';
import type { UsageCollector } from './collector.ts';
import type { UsageBatch } from './usage-contract.ts';

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
