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
      'OPENAI_BASE_URL',
      'MODEL_BUDGET',
      'MODEL_PRO',
      'MODEL_CHAT',
      'MODEL_CHAT_PRO',
      'MODEL_WEB_SEARCH',
      'MODEL_TIMEOUT',
      'SEARCH_URL',
      'METRICS_PORT',
      'HEALTH_PORT',
      'HOST',
      'LOG_LEVEL',
    ],
    ['TEMPORAL_ADDRESS', 'OPENAI_API_KEY'],
  );
