import type { MetricMeter } from '@temporalio/common';
import type { Pool } from 'pg';
import { log } from '../subgraphs/common/log.ts';
import { queueAge, readQueueAges } from '../subgraphs/common/queue-age.ts';

const INTERVAL = 15_000;

/** Reports the ages of the queues in the metrics of the worker. Returns a function that stops it. */
export function meterQueues(pool: Pool, meter: MetricMeter): () => void {
  const gauge = meter.createGauge(queueAge.name, 'float', undefined, queueAge.help);
  const measure = async () => {
    for (const { queue, seconds } of await readQueueAges(pool)) gauge.set(seconds, { queue });
  };
  const tick = () => void measure().catch((error: unknown) => log.warn({ err: error }, 'Failed to read the ages of the queues'));
  const timer = setInterval(tick, INTERVAL);
  tick();
  return () => clearInterval(timer);
}
