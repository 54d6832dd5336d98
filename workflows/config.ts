import { readEnvironment } from '../schema/environment.ts';

/** The configuration of a worker process. Throws `ConfigurationError` naming every fault. */
export const readConfig = () =>
  readEnvironment(
    [
      'TEMPORAL_NAMESPACE',
      'TEMPORAL_API_KEY',
      'TEMPORAL_TLS',
      'TASK_QUEUE',
      'WORKER_CONCURRENCY',
      'SEARCH_URL',
      'GATEWAY_URL',
      'SUBGRAPH_SECRET',
      'CRAWL_PAGE_LIMIT',
      'CRAWL_PAUSE',
      'METRICS_PORT',
      'HEALTH_PORT',
      'HOST',
      'LOG_LEVEL',
    ],
    ['TEMPORAL_ADDRESS', 'OPENAI_API_KEY'],
  );
