import { migrate, openDatabase } from '../platform/database/database.ts';
import { Bucket } from '../platform/files/bucket.ts';
import { defaultFileLimits } from '../platform/files/file-store.ts';
import { createModel, type Model } from '../platform/model/model-client.ts';
import { checkSecretsKey } from '../platform/secrets/index.ts';
import { openServices, type ServiceOptions, type Services } from '../platform/subgraph/services.ts';
import { log } from '../platform/telemetry/index.ts';
import type { Configuration, Name } from '../schema/environment.ts';
import type { readConfig } from './process/config.ts';
import { requireValue } from './process/run.ts';
import { tables } from './subgraphs.ts';

/**
 * Milliseconds that running replies get to finish when the process shuts down: a second less than the requests in flight, so that clients
 * receive the end of a reply that fails.
 */
export const DRAIN_MS = 9_000;

type Config = ReturnType<typeof readConfig> & { DATABASE_URL: string };

/**
 * Open the database and the services that use it. Runs the migrations first. Throws if `SECRETS_KEY` cannot decrypt the
 * secrets of the database.
 */
export async function openOwnServices(config: Config): Promise<Services> {
  log.level = config.LOG_LEVEL;
  const { DATABASE_URL, DATABASE_DIRECT_URL: directUrl } = config;
  if (directUrl) await migrateDatabase(directUrl);
  const database = await openDatabase(DATABASE_URL, tables, { connections: config.DATABASE_POOL, directUrl });
  let services: Services | undefined;
  try {
    if (!directUrl) await migrate(database);
    services = await openServices(database, serviceOptions(config));
    if (config.SECRETS_KEY) await checkSecretsKey(services.pool, services.secrets);
    return services;
  } catch (error) {
    await (services ?? database).close();
    throw error;
  }
}

/** Run the pending migrations on the server itself, and return their names. */
export async function migrateDatabase(url: string): Promise<string[]> {
  const database = await openDatabase(url, tables, { connections: 2 });
  return migrate(database).finally(() => database.close());
}

function serviceOptions(config: Config): ServiceOptions {
  return {
    requireCredits: config.REQUIRE_CREDITS,
    trialCredits: config.TRIAL_CREDITS,
    rateLimitPerMinute: config.RATE_LIMIT_PER_MINUTE,
    graphqlLimitPerMinute: config.GRAPHQL_LIMIT_PER_MINUTE,
    secretsKeys: config.SECRETS_KEY,
    allowHosts: config.OUTBOUND_ALLOW_HOSTS,
    dashboardOrigins: dashboardOrigins(config),
    bucket: openBucket(config),
    fileLimits: { ...defaultFileLimits, quota: config.FILE_QUOTA },
    publicUrl: config.PUBLIC_URL,
    cronSecret: config.CRON_SECRET,
    chatLimits: { visitor: config.CHAT_LIMIT_VISITOR, address: config.CHAT_LIMIT_IP },
    model: openModel(config),
    mail: mailSettings(config),
  };
}

function openBucket(config: Config): Bucket | undefined {
  const { S3_BUCKET: bucket, S3_REGION: region } = config;
  if (!bucket) return undefined;
  return new Bucket({
    endpoint: config.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    bucket,
    region,
    accessKeyId: requireValue('S3_ACCESS_KEY_ID', config.S3_ACCESS_KEY_ID),
    secretAccessKey: requireValue('S3_SECRET_ACCESS_KEY', config.S3_SECRET_ACCESS_KEY),
  });
}

const mailSettings = ({ SMTP_URL: smtpUrl, MAIL_FROM: from, MAIL_REPLY_ADDRESS: replyAddress }: Config) =>
  smtpUrl && from ? { smtpUrl, from, replyAddress } : undefined;

/** Without a public URL, the dashboard is open at the loopback addresses only. */
function dashboardOrigins({ DASHBOARD_ORIGIN, PUBLIC_URL, HOST, PORT }: Config): string[] {
  const url = DASHBOARD_ORIGIN ?? PUBLIC_URL;
  if (url !== undefined) return [new URL(url).origin];
  return ['127.0.0.1', 'localhost'].includes(HOST) ? [`http://127.0.0.1:${PORT}`, `http://localhost:${PORT}`] : [];
}

/** The client of the configured model provider; undefined without an API key. */
export function openModel(config: Configuration<Extract<Name, `MODEL_${string}` | `OPENAI_${string}`>>): Model | undefined {
  if (config.OPENAI_API_KEY === undefined) return undefined;
  return createModel({
    apiKey: config.OPENAI_API_KEY,
    baseUrl: config.OPENAI_BASE_URL,
    webSearch: config.MODEL_WEB_SEARCH,
    timeoutMs: config.MODEL_TIMEOUT * 1_000,
    concurrency: config.MODEL_CONCURRENCY,
    realtimeModel: config.MODEL_REALTIME,
    embedding: config.MODEL_EMBEDDING,
    models: {
      'budget-v1': config.MODEL_BUDGET,
      'pro-v1': config.MODEL_PRO,
      'agent-chat-v1': config.MODEL_CHAT,
      'agent-chat-pro-v1': config.MODEL_CHAT_PRO,
    },
  });
}
