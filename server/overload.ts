import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../schema/errors.ts';
import { pathOf } from './logging.ts';

/** One late sample may be a garbage collection; this many in a row are overload. */
const LATE_SAMPLES = 3;
const SAMPLE_MS = 500;
const NANOSECONDS = 1e6;

export interface Overload {
  isOverloaded(): boolean;
  stop(): void;
}

/**
 * Watch the event loop of this process. It is overloaded while its mean delay exceeds `maxDelayMs` in three samples in a row. 0 disables
 * the watch.
 */
export function watchOverload(maxDelayMs: number, sampleMs = SAMPLE_MS): Overload {
  if (maxDelayMs === 0) return { isOverloaded: () => false, stop: () => {} };
  const histogram = monitorEventLoopDelay({ resolution: 10 });
  histogram.enable();
  let late = 0;
  const timer = setInterval(() => {
    // Without a record, the loop has not turned since the last sample.
    const delay = histogram.count === 0 ? Number.POSITIVE_INFINITY : histogram.mean / NANOSECONDS;
    late = delay > maxDelayMs ? late + 1 : 0;
    histogram.reset();
  }, sampleMs).unref();
  return {
    isOverloaded: () => late >= LATE_SAMPLES,
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

const HEALTH = new Set(['/healthz', '/readyz']);

/**
 * An `onRequest` hook that refuses new requests with 503 during overload, before their bodies are read, so that accepted ones finish.
 * Health checks pass: a restart would not help.
 */
export const shed = ({ isOverloaded }: Overload) =>
  function refuseDuringOverload({ url }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
    const isRefused = isOverloaded() && !HEALTH.has(pathOf(url));
    done(isRefused ? fail('UNAVAILABLE', 'The service is overloaded. Try again shortly.') : undefined);
  };
