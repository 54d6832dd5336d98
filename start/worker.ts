import { readServingConfig } from '../subgraphs/common/config.ts';
import { startFileSweep } from '../subgraphs/common/files/sweep.ts';
import { createModel } from '../subgraphs/common/model/client.ts';
import { searchEndpoint } from '../subgraphs/common/web-search.ts';
import { readConfig } from '../workflows/config.ts';
import { startWorker } from '../workflows/worker.ts';
import { readAll } from './configuration.ts';
import { serveHealth } from './health.ts';
import { runProcess } from './process.ts';
import { openOwnServices } from './services.ts';

/** The worker process, which runs the jobs. */
async function startWorkerProcess(leaving: AbortSignal) {
  const { config, services: servicesConfig } = await readAll({ config: readConfig, services: readServingConfig });
  const services = await openOwnServices(servicesConfig);
  const model = createModel({
    apiKey: config.OPENAI_API_KEY,
    baseUrl: config.OPENAI_BASE_URL,
    webSearch: config.MODEL_WEB_SEARCH,
    timeoutMs: config.MODEL_TIMEOUT * 1_000,
    models: {
      'budget-v1': config.MODEL_BUDGET,
      'pro-v1': config.MODEL_PRO,
      'agent-chat-v1': config.MODEL_CHAT,
      'agent-chat-pro-v1': config.MODEL_CHAT_PRO,
    },
  });
  const search = config.SEARCH_URL ? searchEndpoint(config.SEARCH_URL) : undefined;
  const worker = await startWorker({
    temporal: {
      address: config.TEMPORAL_ADDRESS,
      namespace: config.TEMPORAL_NAMESPACE,
      apiKey: config.TEMPORAL_API_KEY,
      tls: config.TEMPORAL_TLS,
    },
    taskQueue: config.TASK_QUEUE,
    concurrency: config.WORKER_CONCURRENCY,
    dependencies: { services, model, outbound: services.outbound, searchEndpoint: search },
    metricsAddress: config.METRICS_PORT ? `${config.HOST}:${config.METRICS_PORT}` : undefined,
  });
  // Exit when Temporal rejects the worker, so that the supervisor starts a new one.
  worker.failed.catch((error: unknown) => {
    throw error;
  });
  const stopSweep = startFileSweep(services);
  const checks = { database: () => services.pool.query('select 1'), temporal: worker.check };
  const health = config.HEALTH_PORT
    ? await serveHealth({ host: config.HOST, port: config.HEALTH_PORT, checks, leaving })
    : undefined;
  return {
    async close() {
      await worker.close();
      await health?.close();
      await stopSweep();
      await search?.close();
      await services.close();
    },
  };
}

if (import.meta.main) await runProcess('worker', startWorkerProcess);
