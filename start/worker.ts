import { getCACertificates } from 'node:tls';
import { startFileSweep } from '../platform/files/file-expiry.ts';
import { searchEndpoint } from '../platform/model/web-search.ts';
import type { Stop } from '../platform/queues/background.ts';
import { createGraph } from '../platform/subgraph/services.ts';
import { startConversationSweep } from '../subgraphs/agent/conversations/conversation-expiry.ts';
import { convertVectors } from '../subgraphs/agent/retrieval/vector-conversion.ts';
import { readConfig } from '../workflows/config.ts';
import { startWorker } from '../workflows/temporal-worker.ts';
import { remoteGraph } from './gateway/agent-graph.ts';
import { readAll, readServingConfig } from './process/config.ts';
import { requireValue, runProcess } from './process/run.ts';
import { openOwnServices } from './process-services.ts';
import { freePort } from './servers/ports.ts';
import { serveMetrics, watchDatabase } from './telemetry/metrics-server.ts';
import { openTraces, readTelemetryConfig } from './telemetry/start.ts';
import { serveHealth } from './telemetry/status-server.ts';

/** Milliseconds that a sweep in progress gets when the process shuts down. */
const SWEEP_MS = 10_000;

/** Milliseconds after which the crawl of a knowledge source ends with the pages read until then. */
const CRAWL_MS = 6 * 60 * 60 * 1_000;
/** Slots of other activities for each slot of a step of a knowledge source, and the share of those slots that one organization gets. */
const [ACTIVITIES_PER_SOURCE_STEP, ORGANIZATION_SHARE] = [6, 0.4];

/** The worker process, which runs the jobs. */
async function startWorkerProcess(leaving: AbortSignal) {
  const {
    config,
    services: servicesConfig,
    telemetry,
  } = await readAll({
    config: readConfig,
    services: readServingConfig,
    telemetry: readTelemetryConfig,
  });
  const traces = await openTraces('worker', telemetry);
  const services = await openOwnServices(servicesConfig);
  const { GATEWAY_URL, SUBGRAPH_SECRET } = config;
  // Tests of agents read the catalog.
  const graph = GATEWAY_URL ? remoteGraph(GATEWAY_URL, requireValue('SUBGRAPH_SECRET', SUBGRAPH_SECRET)) : undefined;
  if (graph) services.graph = createGraph(services.secrets, graph.execute);
  const model = requireValue('OPENAI_API_KEY', services.model);
  const search = config.SEARCH_URL ? searchEndpoint(config.SEARCH_URL) : undefined;
  // The SDK serves its metrics itself; this process adds them to its own.
  const temporalMetrics = config.METRICS_PORT ? `127.0.0.1:${await freePort()}` : undefined;
  const sourceConcurrency = Math.max(1, Math.round(config.WORKER_CONCURRENCY / ACTIVITIES_PER_SOURCE_STEP));
  const worker = await startWorker({
    temporal: {
      address: config.TEMPORAL_ADDRESS,
      namespace: config.TEMPORAL_NAMESPACE,
      apiKey: config.TEMPORAL_API_KEY,
      tls: (config.TEMPORAL_TLS || config.TEMPORAL_API_KEY !== undefined) && trust(),
    },
    taskQueue: config.TASK_QUEUE,
    concurrency: config.WORKER_CONCURRENCY,
    sourceConcurrency,
    dependencies: {
      services,
      model,
      searchEndpoint: search,
      crawl: { pages: config.CRAWL_PAGE_LIMIT, pauseMs: config.CRAWL_PAUSE, timeMs: CRAWL_MS },
      sourcesPerOrganization: Math.max(1, Math.round(sourceConcurrency * ORGANIZATION_SHARE)),
    },
    metricsAddress: temporalMetrics,
  });
  // Exit when Temporal rejects the worker, so that the supervisor starts a new one.
  worker.failed.catch((error: unknown) => {
    throw error;
  });
  const { DATABASE_URL, DATABASE_DIRECT_URL = DATABASE_URL } = servicesConfig;
  services.background.start(
    'The conversion of vectors',
    async (signal) => void (await convertVectors(DATABASE_DIRECT_URL, signal)),
  );
  const stopFileSweep = startFileSweep(services);
  const stopConversationSweep = startConversationSweep(services);
  const checks = { database: () => services.pool.query('select 1'), temporal: worker.check };
  const health = config.HEALTH_PORT
    ? await serveHealth({ host: config.HOST, port: config.HEALTH_PORT, checks, leaving })
    : undefined;
  const metrics = config.METRICS_PORT
    ? await serveMetrics({
        host: config.HOST,
        port: config.METRICS_PORT,
        more: async () => (await fetch(`http://${temporalMetrics}/metrics`)).text(),
      })
    : undefined;
  if (metrics) watchDatabase(services.pool);
  return {
    async close(stop: Stop) {
      await Promise.all([
        worker.close(stop),
        stop('sweep of files', stopFileSweep, SWEEP_MS),
        stop('sweep of conversations', stopConversationSweep, SWEEP_MS),
      ]);
      await Promise.all([
        services.close(stop),
        stop('traces', () => traces?.shutdown()),
        stop('search', () => search?.close()),
        stop('graph', () => graph?.close()),
        stop('metrics', () => metrics?.close()),
        stop('health', () => health?.close()),
      ]);
    },
  };
}

/** Both clients of Temporal trust the authorities of Node. By default, one of them reads those of the system, which the image does not have. */
const trust = () => ({ serverRootCACertificate: Buffer.from(getCACertificates().join('\n')) });

if (import.meta.main) await runProcess('worker', startWorkerProcess);
