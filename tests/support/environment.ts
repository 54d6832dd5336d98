import { randomBytes } from 'node:crypto';

/** The defaults are the database and the servers of the shared system. */
export interface SystemOptions {
  databaseUrl?: string;
  temporalAddress?: string;
  /** Base URL of the model provider, ending in /v1. */
  provider?: string;
  /** Overrides variables. */
  env?: Record<string, string>;
}

/** Environment variables of all processes of one system, with a unique task queue. */
export const environmentOf = ({
  databaseUrl = process.env.TEST_DATABASE_URL!,
  temporalAddress = process.env.TEST_TEMPORAL_ADDRESS!,
  provider = process.env.TEST_PROVIDER!,
  env = {},
}: SystemOptions = {}): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  TEMPORAL_ADDRESS: temporalAddress,
  TASK_QUEUE: `jobs-${randomBytes(4).toString('hex')}`,
  // All visitors of the tests have one address.
  CHAT_LIMIT_IP: '100000',
  CRON_SECRET: 'the-secret-of-the-scheduler',
  OPENAI_API_KEY: 'test-key',
  OPENAI_BASE_URL: provider,
  OUTBOUND_ALLOW_HOSTS: new URL(provider).host,
  SECRETS_KEY: 'the-key-of-the-tests-and-of-nothing-else',
  RATE_LIMIT_PER_MINUTE: '1000000',
  // A busy test machine delays every event loop.
  MAX_EVENT_LOOP_DELAY: '0',
  PORT: '0',
  SITE_PORT: '0',
  ...env,
});
