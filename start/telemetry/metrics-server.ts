import { totalmem } from 'node:os';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { log, registry } from '../../platform/telemetry/index.ts';
import { readQueues } from '../../platform/webhooks/claim.ts';
import { readOpenJobs } from '../../subgraphs/catalog/jobs/engine.ts';
import { serveStatus } from './status-server.ts';

interface MetricsOptions {
  host: string;
  port: number;
  /** Further metrics in the text format, such as those of Temporal. */
  more?: () => Promise<string>;
}

/** Serve `/metrics` on a separate port, because it is not for API callers. */
export async function serveMetrics({ host, port, more }: MetricsOptions): Promise<{ close(): Promise<void> }> {
  collectDefaultMetrics({ register: registry });
  countMemoryLimit(registry);
  const answer = async () => {
    const texts = await Promise.all([registry.metrics(), more?.().catch(missing('further metrics'))]);
    return { status: 200, contentType: registry.contentType, body: texts.filter(Boolean).join('\n') };
  };
  return serveStatus(host, port, (path) => (path === '/metrics' ? answer() : undefined));
}

/** Add the queues and the open jobs of this database to the metrics. Without the database only these are missing. */
export function watchDatabase(pool: Pool): void {
  const gauge = (name: string, help: string, labelNames: string[], collect: (this: Gauge) => Promise<void>) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        await collect.call(this).catch(missing(name));
      },
    });
  const queues = shared(() => readQueues(pool));
  const jobs = shared(() => readOpenJobs(pool));
  gauge(
    'queue_oldest_seconds',
    'Age of the oldest message in the outbox, and of the oldest due webhook delivery whose subscription no worker serves.',
    ['queue'],
    async function () {
      for (const { queue, seconds } of await queues()) this.set({ queue }, seconds);
    },
  );
  gauge(
    'queue_length',
    'Messages in the outbox, and due webhook deliveries; at most 10,000 are counted.',
    ['queue'],
    async function () {
      for (const { queue, length } of await queues()) this.set({ queue }, length);
    },
  );
  gauge('jobs_open', 'Jobs that have not ended, by kind and status, without paused ones.', ['kind', 'status'], async function () {
    for (const { kind, status, jobs: count } of await jobs()) this.set({ kind, status }, count);
  });
  gauge(
    'job_items_open',
    'Items of open jobs that have not ended, by kind and status of the job.',
    ['kind', 'status'],
    async function () {
      for (const { kind, status, items } of await jobs()) this.set({ kind, status }, items);
    },
  );
}

/** Lets concurrent calls share one run. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}

const missing = (name: string) => (error: unknown) => {
  log.warn({ err: error, metric: name }, 'Failed to read a metric');
  return undefined;
};

/** The memory limit of the container of this process in bytes, or the memory of the machine if no limit is lower. */
export const memoryLimit = (constrained = process.constrainedMemory(), total = totalmem()): number =>
  // Without a limit the system reports 0 or more memory than there is.
  constrained > 0 ? Math.min(constrained, total) : total;

/** Add the memory limit to the metrics, beside the memory that the process uses. */
function countMemoryLimit(registry: Registry): void {
  new Gauge({
    name: 'process_memory_limit_bytes',
    help: 'Memory limit of the container, or the memory of the machine if no limit is lower.',
    registers: [registry],
  }).set(memoryLimit());
}
