import { ConfigurationError, readEnvironment } from '../../schema/environment.ts';

const names = [
  'DATABASE_URL',
  'DATABASE_POOL',
  'DATABASE_DIRECT_URL',
  'RATE_LIMIT_PER_MINUTE',
  'GRAPHQL_LIMIT_PER_MINUTE',
  'REQUIRE_CREDITS',
  'TRIAL_CREDITS',
  'SECRETS_KEY',
  'OUTBOUND_ALLOW_HOSTS',
  'DASHBOARD_ORIGIN',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'CRON_SECRET',
  'CHAT_LIMIT_VISITOR',
  'CHAT_LIMIT_IP',
  'SMTP_URL',
  'MAIL_FROM',
  'MAIL_REPLY_ADDRESS',
  'MAIL_INBOUND_SECRET',
  'S3_BUCKET',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'FILE_QUOTA',
  'LOG_LEVEL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'MODEL_BUDGET',
  'MODEL_PRO',
  'MODEL_CHAT',
  'MODEL_CHAT_PRO',
  'MODEL_EMBEDDING',
  'MODEL_REALTIME',
  'MODEL_WEB_SEARCH',
  'MODEL_TIMEOUT',
  'MODEL_CONCURRENCY',
] as const;

/** The configuration of services for a CLI command, which may run without secrets or a database of its own. */
export const readConfig = () => readEnvironment(names);

/** The configuration of services in a process that serves requests or runs jobs. */
export const readServingConfig = () => readEnvironment(names, ['DATABASE_URL', 'SECRETS_KEY']);

/** The configuration of a subgraph server in its own process. */
export const readServerConfig = () =>
  readEnvironment(['PORT', 'HOST', 'METRICS_PORT', 'SHUTDOWN_DELAY', 'GATEWAY_URL'], ['SUBGRAPH_SECRET']);

/** Run every reader. Throws one `ConfigurationError` with the faults of all. */
export async function readAll<T extends Record<string, () => unknown>>(
  readers: T,
): Promise<{ [K in keyof T]: Awaited<ReturnType<T[K]>> }> {
  const faults = new Set<string>();
  const results: Partial<Record<keyof T, unknown>> = {};
  for (const name in readers) {
    try {
      results[name] = await readers[name]!();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      for (const fault of error.faults) faults.add(fault);
    }
  }
  if (faults.size > 0) throw new ConfigurationError([...faults]);
  return results as { [K in keyof T]: Awaited<ReturnType<T[K]>> };
}
