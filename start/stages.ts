import { createWriteStream, mkdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { ListrTask } from 'listr2';
import { readConfig as readDatabaseConfig } from '../subgraphs/common/config.ts';
import type { Closers } from './closers.ts';
import type { readConfig } from './config.ts';
import { startOfflineModel } from './offline-model/server.ts';
import type { Api } from './sample/api.ts';
import { isSampleComplete, makeSample, SAMPLE } from './sample/first-run.ts';
import { supervise } from './servers/children.ts';
import { takeLock } from './servers/lock.ts';
import { rememberedPort } from './servers/ports.ts';
import { startPostgres } from './servers/postgres.ts';
import { rememberedSecretsKey } from './servers/secrets-key.ts';
import { startTemporal } from './servers/temporal.ts';
import { openOwnServices } from './services.ts';

/** What the stages find out, each for those after it. */
export interface Context {
  env: Record<string, string>;
  url: string;
  siteUrl: string;
  pages: string;
  temporalUi?: string;
  sample?: { key: string; api: Api; productIds: string[] };
  tell(info: Record<string, string>): void;
}

interface Given {
  config: ReturnType<typeof readConfig>;
  dataDir: string;
  closers: Closers;
  /** A process of ours cannot be kept running. */
  onFailed(error: Error): void;
}

/** What `npm start` does, in order. */
export function stages({ config, dataDir, closers, onFailed }: Given): ListrTask<Context>[] {
  const { HOST, PORT, SITE_PORT, DATABASE_URL, TEMPORAL_ADDRESS, OPENAI_API_KEY, OUTBOUND_ALLOW_HOSTS, SECRETS_KEY, METRICS_PORT } =
    config;

  const child = async (name: string, script: string, env: Record<string, string>) => {
    const logs = join(dataDir, 'logs');
    mkdirSync(logs, { recursive: true });
    const log = createWriteStream(join(logs, `${name}.log`), { flags: 'a' });
    const running = supervise({ name, script, env, ready: 'message', onLine: (line) => log.write(`${line}\n`) });
    running.failed.catch(onFailed);
    closers.add(name, async () => {
      await running.stop();
      log.end();
    });
    return running.ready;
  };

  return [
    {
      title: 'Data folder',
      async task(context, task) {
        const lock = await takeLock(dataDir);
        closers.add('data folder', () => lock.release());
        context.tell = (info) => lock.write(info);
        for (const [name, port] of Object.entries({ PORT, SITE_PORT })) await requireFree(name, HOST, port);
        task.title = `Data folder ${dataDir}`;
      },
    },
    {
      title: 'PostgreSQL',
      skip: () => DATABASE_URL !== undefined && 'PostgreSQL: the one of DATABASE_URL',
      async task({ env }, task) {
        const postgres = await startPostgres({ dataDir, onStep: saying(task) });
        closers.add('PostgreSQL', postgres.stop);
        env.DATABASE_URL = postgres.url;
        task.title = `PostgreSQL ${postgres.adopted ? 'was still running' : 'started'}`;
      },
    },
    {
      title: 'Temporal',
      skip: () => TEMPORAL_ADDRESS !== undefined && `Temporal: the one at ${TEMPORAL_ADDRESS}`,
      async task(context, task) {
        const temporal = await startTemporal({ dataDir, onStep: saying(task) });
        closers.add('Temporal', temporal.stop);
        context.env.TEMPORAL_ADDRESS = temporal.address;
        context.temporalUi = temporal.uiUrl;
        task.title = 'Temporal dev server started';
      },
    },
    {
      title: 'Tables',
      async task({ env }) {
        const services = await openOwnServices({
          ...readDatabaseConfig(),
          ...(env.DATABASE_URL && { DATABASE_URL: env.DATABASE_URL }),
        });
        await services.close();
      },
    },
    {
      title: 'Key of the secrets',
      skip: () => SECRETS_KEY !== undefined && 'Key of the secrets: the one of SECRETS_KEY',
      async task({ env }, task) {
        const file = join(dataDir, 'secrets.key');
        env.SECRETS_KEY = await rememberedSecretsKey(file);
        task.title = `Key of the secrets in ${file}`;
      },
    },
    {
      title: 'Offline model (no OPENAI_API_KEY)',
      skip: () => OPENAI_API_KEY !== undefined && 'Model provider: the one of OPENAI_API_KEY',
      async task(context) {
        const model = await startOfflineModel({ port: await rememberedPort(join(dataDir, 'offline-model.port')) });
        closers.add('offline model', model.close);
        context.pages = model.pages;
        const host = new URL(model.url).host;
        Object.assign(context.env, {
          OPENAI_API_KEY: 'offline',
          OPENAI_BASE_URL: model.url,
          OUTBOUND_ALLOW_HOSTS: [...OUTBOUND_ALLOW_HOSTS, host].join(','),
        });
      },
    },
    {
      title: 'Gateway and worker',
      async task(context, task) {
        const [addresses] = await Promise.all([
          child('gateway', 'start/gateway.ts', context.env),
          child('worker', 'start/worker.ts', { ...context.env, ...(METRICS_PORT && { METRICS_PORT: String(METRICS_PORT + 1) }) }),
        ]);
        context.url = addresses.url!;
        context.siteUrl = addresses.siteUrl!;
        context.tell({ url: context.url, siteUrl: context.siteUrl, ...(context.temporalUi && { temporalUi: context.temporalUi }) });
        task.title = `Gateway at ${context.url}, worker running`;
      },
    },
    {
      title: 'Sample organization',
      skip: async ({ env }) =>
        (await isSampleComplete(env.DATABASE_URL ?? DATABASE_URL!)) && `Sample organization: ${SAMPLE.organization} is there`,
      async task(context, task) {
        context.sample = await makeSample({
          databaseUrl: context.env.DATABASE_URL ?? DATABASE_URL!,
          url: context.url,
          pages: context.pages,
        });
        task.title = `Sample organization ${SAMPLE.organization} with ${context.sample.productIds.length} products`;
      },
    },
  ];
}

/** Shows what a stage is about, below its title. */
const saying = (task: { output: string }) => (text: string) => {
  task.output = text;
};

/** Said before anything is started: a listener that cannot listen would be found only minutes later. */
async function requireFree(name: string, host: string, port: number): Promise<void> {
  if (port === 0) return;
  const taken = await new Promise<boolean>((resolve) => {
    const socket = createConnection({ host: host === '0.0.0.0' ? '127.0.0.1' : host, port, timeout: 1_000 });
    const answer = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket
      .once('connect', () => answer(true))
      .once('error', () => answer(false))
      .once('timeout', () => answer(false));
  });
  if (taken)
    throw new Error(`Port ${port} is in use by another program. End it, or choose another port: ${name}=${port + 10} npm start`);
}
