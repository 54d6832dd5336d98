import { Client, Connection, type TLSConfig } from '@temporalio/client';
import { type Logger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Pool } from 'pg';
import { startMailer } from '../platform/mail/index.ts';
import type { Stop } from '../platform/queues/index.ts';
import { detached, transaction } from '../platform/scope/index.ts';
import { resealCanary, type Secrets } from '../platform/secrets/index.ts';
import { log } from '../platform/telemetry/index.ts';
import { resealSigningSecrets, startDeliverer } from '../platform/webhooks/index.ts';
import type { ReadinessCheck } from '../schema/readiness.ts';
import { startNext } from '../subgraphs/agent/ingestion/source-state.ts';
import { resealToolSecrets } from '../subgraphs/agent/secrets/service.ts';
import { resealAgentSecrets } from '../subgraphs/agent/visitors/signing-secrets.ts';
import { continueMove } from '../subgraphs/catalog/labels/moves.ts';
import { touchVariants } from '../subgraphs/catalog/products/write-contents.ts';
import { WorkerLoad } from './activity-attempt.ts';
import { isAllFailed, sourceTaskQueue } from './contract.ts';
import { type ActivityDependencies, jobActivities } from './job/activities.ts';
import { prepareNamespace } from './namespace.ts';
import { handlers, relayOutbox } from './outbox-relay.ts';
import { jobReconciler, sourceReconciler, testRunReconciler } from './reconcile.ts';
import { type SourceDependencies, sourceActivities } from './source/activities.ts';
import { sweepActivities } from './sweeps/sweeps.ts';
import { testRunActivities } from './test-run/activities.ts';
import { activityTracing, clientTracing, traceSinks } from './tracing/spans.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface WorkerOptions {
  temporal: { address: string; namespace: string; apiKey?: string; tls: TLSConfig | false };
  taskQueue: string;
  /** Maximum concurrent activities, except those of sources. */
  concurrency: number;
  /** Maximum concurrent activities of knowledge sources. */
  sourceConcurrency: number;
  dependencies: Omit<ActivityDependencies, 'load'> & SourceDependencies;
  /** Address (host:port) that serves the metrics of Temporal. */
  metricsAddress?: string;
}

export interface RunningWorker {
  /** Rejects when the worker fails before `close` is called. */
  failed: Promise<never>;
  /** Rejects while Temporal is unreachable or the worker does not poll. */
  check: ReadinessCheck;
  close(stop: Stop): Promise<void>;
}

/** Milliseconds between two attempts to reach Temporal. By default they grow to two minutes, by which jobs would start late. */
const MAX_BACKOFF = 5_000;
/** Milliseconds that running activities get when the process shuts down, and that canceled ones get until the worker gives them up. */
const [GRACE_MS, FORCE_MS] = [10_000, 11_500];
/** Milliseconds of the shutdown of a worker; longer than `FORCE_MS`. */
const CLOSE_MS = 12_000;

/** Runs workflows and activities, relays the outbox, delivers webhooks, and restarts missing workflows. */
export async function startWorker({
  temporal,
  taskQueue,
  concurrency,
  sourceConcurrency,
  dependencies,
  metricsAddress,
}: WorkerOptions): Promise<RunningWorker> {
  const { address, namespace, apiKey, tls } = temporal;
  // The process handles its shutdown signals itself.
  Runtime.install({
    logger: temporalLog,
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: 'WARN' },
      ...(metricsAddress && { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
  });
  const link = { address, apiKey, tls };
  const channelArgs = { 'grpc.max_reconnect_backoff_ms': MAX_BACKOFF };
  const connection = await Connection.connect({ ...link, channelArgs }).catch((error: Error) => {
    throw new Error(`Temporal at ${address} is unreachable; check TEMPORAL_ADDRESS and TEMPORAL_TLS: ${error.message}`, {
      cause: error,
    });
  });
  const client = new Client({ connection, namespace, interceptors: { workflow: [clientTracing] } });
  let isPrepared = false;
  const prepare = async () => {
    if (!isPrepared) isPrepared = await prepareNamespace(connection, client, taskQueue);
  };
  await prepare();

  const deliverer = startDeliverer(dependencies.services, dependencies.services.outbound);
  const mailer = dependencies.services.mail && startMailer(dependencies.services, dependencies.services.mail);
  const nativeConnection = await NativeConnection.connect(link);
  const common = {
    connection: nativeConnection,
    namespace,
    interceptors: { activity: [activityTracing] },
    shutdownGraceTime: GRACE_MS,
    shutdownForceTime: FORCE_MS,
  };
  const load = new WorkerLoad(concurrency);
  const worker = await Worker.create({
    ...common,
    taskQueue,
    workflowBundle: await workflowBundle(),
    activities: {
      ...jobActivities({ ...dependencies, load }),
      ...testRunActivities({ ...dependencies, load }),
      ...sweepActivities({ services: dependencies.services, deliverer }),
    },
    sinks: traceSinks,
    maxConcurrentActivityTaskExecutions: concurrency,
  });
  const sourceWorker = await Worker.create({
    ...common,
    taskQueue: sourceTaskQueue(taskQueue),
    activities: sourceActivities(dependencies),
    maxConcurrentActivityTaskExecutions: sourceConcurrency,
  });
  const workers = [worker, sourceWorker];
  const { services, sourcesPerOrganization } = dependencies;
  const { pool } = services;
  const startNextSources = (organizationId: string) =>
    transaction(detached({ organizationId, services }), (scope) => startNext(scope, sourcesPerOrganization));
  const { notifications } = services;
  const relay = relayOutbox(
    pool,
    notifications,
    handlers(client, {
      taskQueue,
      startNextSources,
      touchVariants: ({ organizationId, ...next }) => touchVariants(detached({ organizationId, services }), next),
      continueMove: ({ organizationId, ...next }, attempts) => continueMove(detached({ organizationId, services }), next, attempts),
    }),
  );
  const reconcilers = [
    jobReconciler(pool, client),
    sourceReconciler(pool, client, sourcesPerOrganization),
    testRunReconciler(pool, client),
  ];
  const reconcile = async () => {
    await prepare();
    for (const each of reconcilers) {
      await each().catch((error: unknown) => log.warn({ err: error }, 'Failed to check the open workflows; resuming in a minute'));
    }
  };
  const timer = setInterval(() => void reconcile(), 60_000);
  void reconcile();
  resealSecrets(pool, services.secrets).catch((error: unknown) =>
    log.warn({ err: error }, 'Failed to re-encrypt the secrets with the first key'),
  );
  const runs = workers.map((each) => each.run());
  const running = Promise.all(runs);
  const never = new Promise<never>(() => {});
  let isClosing = false;

  return {
    failed: running.then(
      () => never,
      (error: unknown) => {
        // A worker that gives up its activities rejects, too.
        if (isClosing) return never;
        throw error;
      },
    ),
    async check(signal) {
      const stopped = workers.find((each) => each.getState() !== 'RUNNING');
      if (stopped) throw new Error(`The worker of ${stopped.options.taskQueue} is ${stopped.getState()}`);
      await connection.withAbortSignal(signal, () => connection.workflowService.getSystemInfo({}));
    },
    async close(stop) {
      isClosing = true;
      clearInterval(timer);
      for (const each of workers) if (each.getState() === 'RUNNING') each.shutdown();
      await Promise.all([
        stop('outbox', () => relay.close(), CLOSE_MS),
        stop('deliveries', () => deliverer.close(), CLOSE_MS),
        stop('outgoing mail', () => mailer?.close(), CLOSE_MS),
        ...runs.map((run, at) => stop(`activities of ${workers[at]!.options.taskQueue}`, () => run, CLOSE_MS)),
      ]);
      await Promise.all([
        stop('worker connection', () => nativeConnection.close()),
        stop('Temporal connection', () => connection.close()),
      ]);
    },
  };
}

/** Reseals the canary last: while an earlier key seals it, no process starts without that key. */
async function resealSecrets(pool: Pool, secrets: Secrets): Promise<void> {
  await resealSigningSecrets(pool, secrets);
  await resealToolSecrets(pool, secrets);
  await resealAgentSecrets(pool, secrets);
  await resealCanary(pool, secrets);
}

type Write = Logger['info'];

const at =
  (level: 'trace' | 'debug' | 'info' | 'warn' | 'error'): Write =>
  (message, { error, ...meta } = {}) => {
    const { message: reason } = (error ?? {}) as Partial<Error>;
    // The items have their own lines, and the worker works.
    if (reason !== undefined && isAllFailed(reason)) log.info({ ...meta, reason }, 'All items of a job failed');
    else log[level]({ ...meta, ...(error !== undefined && { err: error }) }, message);
  };

/** Writes the lines of the Temporal SDK to the log of the process. The SDK reports states of the worker at level info. */
const temporalLog: Logger = {
  trace: at('trace'),
  debug: at('debug'),
  info: at('debug'),
  warn: at('warn'),
  error: at('error'),
  log: (level, message, meta) => temporalLog[level.toLowerCase() as 'info'](message, meta),
};
