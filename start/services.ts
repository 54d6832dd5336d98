import { readConfig } from '../subgraphs/common/config.ts';
import { migrate, openDatabase } from '../subgraphs/common/database.ts';
import { Bucket } from '../subgraphs/common/files/bucket.ts';
import { openServices, type Services } from '../subgraphs/common/services.ts';
import { tables } from './graph.ts';
import { need } from './process.ts';

/** The database and what stands on it, as this process's environment says; tables are brought up to date first. */
export async function openOwnServices(config = readConfig()): Promise<Services> {
  const database = await openDatabase(need('DATABASE_URL', config.DATABASE_URL), tables, { connections: config.DATABASE_POOL });
  await migrate(database);
  return openServices(database, {
    requireCredits: config.REQUIRE_CREDITS,
    trialCredits: config.TRIAL_CREDITS,
    rateLimitPerMinute: config.RATE_LIMIT_PER_MINUTE,
    secretsKeys: config.SECRETS_KEY,
    allowHosts: config.OUTBOUND_ALLOW_HOSTS,
    dashboardOrigin: originOf(config.DASHBOARD_ORIGIN ?? config.PUBLIC_URL),
    bucket: openBucket(config),
  });
}

/** The same for a process that serves callers or does their work: it reads and writes secrets, so it must have the key. */
export async function openServingServices(): Promise<Services> {
  const config = readConfig();
  need('SECRETS_KEY', config.SECRETS_KEY);
  return openOwnServices(config);
}

function openBucket(config: ReturnType<typeof readConfig>): Bucket | undefined {
  const { S3_BUCKET: bucket, S3_REGION: region } = config;
  if (!bucket) return undefined;
  return new Bucket({
    endpoint: config.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    bucket,
    region,
    accessKeyId: need('S3_ACCESS_KEY_ID', config.S3_ACCESS_KEY_ID),
    secretAccessKey: need('S3_SECRET_ACCESS_KEY', config.S3_SECRET_ACCESS_KEY),
  });
}

const originOf = (url: string | undefined) => (url === undefined ? undefined : new URL(url).origin);
