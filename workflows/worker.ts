import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { log } from '../subgraphs/common/log.ts';
import { startDeliverer } from '../subgraphs/common/webhooks/deliverer.ts';
import { resealSigningSecrets } from '../subgraphs/common/webhooks/reseal.ts';
import { evidenceActivities } from './evidence/activities.ts';
import { jobActivities, type Outside } from './job/activities.ts';
import { handlers, relayOutbox } from './outbox.ts';
import { meterQueues } from './queue-metrics.ts';
import { jobReconciler } from './reconcile.ts';
import { ensureSchedules } from './schedules.ts';
import { ensureSearchAttributes } from './search-attributes.ts';
import { webhookActivities } from './webhook-delivery/activities.ts';

export interface WorkerOptions {
  temporal: { address: string; namespace: string; apiKey?: string; tls?: boolean };
  taskQueue: string;
  concurrency: number;
  outside: Outside;
  /** Where `/metrics` of the worker is served, as host:port. */
  metricsAddress?: string;
}

/** Runs workflows and activities, hands on the outbox, delivers webhooks, and keeps open jobs running, until it is closed. */
export async function startWorker({
  temporal,
  taskQueue,
  concurrency,
  outside,
  metricsAddress,
}: WorkerOptions): Promise<{ failed: Promise<never>; close(): Promise<void> }> {
  const { address, namespace, apiKey, tls } = temporal;
  // The process decides itself when it ends.
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: 'WARN' },
      ...(metricsAddress && { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
  });
  const link = { address, apiKey, tls: tls || Boolean(apiKey) };
  const connection = await Connection.connect(link);
  const client = new Client({ connection, namespace });
  await ensureSearchAttributes(connection, namespace);
  await ensureSchedules(client, taskQueue);

  const deliverer = startDeliverer(outside.services, outside.outbound);
  const nativeConnection = await NativeConnection.connect(link);
  const worker = await Worker.create({
    connection: nativeConnection,
    namespace,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
    activities: { ...jobActivities(outside), ...webhookActivities(deliverer), ...evidenceActivities(outside.services.pool) },
    maxConcurrentActivityTaskExecutions: concurrency,
    shutdownGraceTime: '10 seconds',
  });
  const { pool } = outside.services;
  const relay = relayOutbox(pool, outside.services.notifications, handlers(client, taskQueue));
  const reconcileJobs = jobReconciler(pool, client);
  const reconcile = () =>
    reconcileJobs().catch((error: unknown) =>
      log.warn({ err: error }, 'open jobs could not be checked; the next minute goes on there'),
    );
  const timer = setInterval(reconcile, 60_000);
  void reconcile();
  resealSigningSecrets(pool, outside.services.secrets).catch((error: unknown) =>
    log.warn({ err: error }, 'secrets that an earlier key sealed could not be sealed anew'),
  );
  const stopMetering = metricsAddress ? meterQueues(pool, Runtime.instance().metricMeter) : () => {};
  const running = worker.run();

  return {
    failed: running.then(() => new Promise<never>(() => {})),
    async close() {
      clearInterval(timer);
      stopMetering();
      await relay.close();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.all([running.catch(() => {}), deliverer.close()]);
      await nativeConnection.close();
      await connection.close();
    },
  };
}
