import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrapKey } from '../../platform/identity/bootstrap.ts';
import { readEnvironment } from '../../schema/environment.ts';
import { startOfflineModel } from '../offline-model/offline-model.ts';
import { openLocalDatabase } from '../operator/command.ts';
import type { Closers } from '../process/closers.ts';
import { readConfig } from '../process/config.ts';
import { openOwnServices } from '../process-services.ts';
import { Api } from '../sample/sample-client.ts';
import { startPostgres } from '../servers/postgres.ts';
import { supervise } from '../servers/supervise.ts';
import { startTemporal } from '../servers/temporal.ts';

interface System {
  url: string;
  databaseUrl: string;
}

interface Hooks {
  onStep(text: string): void;
  /** Called when a process has failed too often to restart. */
  onFailed(error: unknown): void;
}

/** Temporary servers, gateway and worker for one evaluation. Without a provider key they use the offline model. */
export async function startTemporarySystem(closers: Closers, { onStep, onFailed }: Hooks): Promise<System> {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-graph-evaluation-'));
  closers.add('data', () => rm(dataDir, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir, onStep });
  closers.add('PostgreSQL', postgres.stop);
  const temporal = await startTemporal({ dataDir, onStep });
  closers.add('Temporal', temporal.stop);
  const env: Record<string, string> = {
    DATABASE_URL: postgres.url,
    DATABASE_DIRECT_URL: '',
    TEMPORAL_ADDRESS: temporal.address,
    TASK_QUEUE: 'evaluation',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    PORT: '0',
    SITE_PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    SHUTDOWN_DELAY: '0',
    ...(await provider(closers)),
  };
  const child = async (name: string) => {
    const running = supervise({ name, script: `start/${name}.ts`, env, ready: 'message' });
    running.failed.catch(onFailed);
    closers.add(name, () => running.stop());
    return running.ready;
  };
  const gateway = await child('gateway');
  await child('worker');
  return { url: gateway.url!, databaseUrl: postgres.url };
}

async function provider(closers: Closers): Promise<Record<string, string>> {
  if (readEnvironment(['OPENAI_API_KEY']).OPENAI_API_KEY) return {};
  const model = await startOfflineModel();
  closers.add('offline model', model.close);
  return { OPENAI_API_KEY: 'offline', OPENAI_BASE_URL: model.url };
}

/** The running system at this URL, with its database. */
export async function connectSystem(url: string, closers: Closers): Promise<System> {
  const database = await openLocalDatabase();
  closers.add('database', database.close);
  return { url: url.replace(/\/+$/, ''), databaseUrl: database.url };
}

/** Create an organization that is deleted with all its data when the evaluation ends. */
export async function temporaryOrganization({ url, databaseUrl }: System, closers: Closers): Promise<Api> {
  // The temporary system has another secrets key than this process.
  const config = { ...readConfig(), SECRETS_KEY: undefined };
  const directUrl = databaseUrl === config.DATABASE_URL ? config.DATABASE_DIRECT_URL : undefined;
  const services = await openOwnServices({ ...config, DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: directUrl });
  closers.add('services', () => services.close());
  const slug = `evaluation-${randomBytes(6).toString('hex')}`;
  const email = `${slug}@example.com`;
  const { key, organization, userId } = await bootstrapKey(services, { organization: slug, email, role: 'owner', credits: 1e6 });
  closers.add('organization', async () => {
    await services.pool.query('delete from identity.organizations where id = $1', [organization.id]);
    await services.pool.query('delete from identity.users where id = $1', [userId]);
  });
  return new Api(url, key);
}
