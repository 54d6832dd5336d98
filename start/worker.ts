import { startFileSweep } from '../subgraphs/common/files/sweep.ts';
import { createModel } from '../subgraphs/common/model/client.ts';
import { createOutbound } from '../subgraphs/common/outbound/client.ts';
import { searchEndpoint } from '../subgraphs/common/web-search.ts';
import { readConfig } from '../workflows/config.ts';
import { startWorker } from '../workflows/worker.ts';
import { need, runProcess } from './process.ts';
import { openServingServices } from './services.ts';

type Config = ReturnType<typeof readConfig>;

/** The worker process: it runs the jobs. */
export async function startWorkerProcess(config: Config = readConfig()) {
  const services = await openServingServices();
  const model = createModel({
    apiKey: need('OPENAI_API_KEY', config.OPENAI_API_KEY),
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
  const outbound = createOutbound({ allowHosts: config.OUTBOUND_ALLOW_HOSTS });
  const search = config.SEARCH_URL ? searchEndpoint(config.SEARCH_URL) : undefined;
  const worker = await startWorker({
    temporal: {
      address: need('TEMPORAL_ADDRESS', config.TEMPORAL_ADDRESS),
      namespace: config.TEMPORAL_NAMESPACE,
      apiKey: config.TEMPORAL_API_KEY,
      tls: config.TEMPORAL_TLS,
    },
    taskQueue: config.TASK_QUEUE,
    concurrency: config.WORKER_CONCURRENCY,
    outside: { services, model, outbound, searchEndpoint: search },
    metricsAddress: config.METRICS_PORT ? `${config.HOST}:${config.METRICS_PORT}` : undefined,
  });
  const stopSweep = startFileSweep(services);
  return {
    ...worker,
    async close() {
      await worker.close();
      await stopSweep();
      await outbound.close();
      await search?.close();
      await services.close();
    },
  };
}

if (import.meta.main) {
  await runProcess('worker', async () => {
    const worker = await startWorkerProcess();
    // A worker that Temporal has shut out ends, so that its supervisor starts another.
    worker.failed.catch((error: unknown) => {
      throw error;
    });
    return worker;
  });
}
