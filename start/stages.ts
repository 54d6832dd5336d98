import { createWriteStream, mkdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { ListrTask } from 'listr2';
import type { Closers } from './closers.ts';
import type { readConfig } from './config.ts';
import { startOfflineModel } from './offline-model/server.ts';
import type { Api } from './sample/api.ts';
import { isSampleComplete, makeSample, SAMPLE } from './sample/first-run.ts';
import { STOP_MS, supervise } from './servers/children.ts';
import { takeLock } from './servers/lock.ts';
import { rememberedPort } from './servers/ports.ts';
import { startPostgres } from './servers/postgres.ts';
import { rememberedSecretsKey } from './servers/secrets-key.ts';
import { startTemporal } from './servers/temporal.ts';
import { type Server, type WatchedServer, watchServer } from './servers/watch.ts';
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

/** What every process gets here unless the environment says otherwise: one machine, its own user, no load balancer. */
const defaults = { INTROSPECTION: 'true', SHUTDOWN_DELAY: '0' };

interface Given {
  config: Awaited<ReturnType<typeof readConfig>>;
  dataDir: string;
  closers: Closers;
  /** A process or a server cannot be kept running. */
  onFailed(error: Error): void;
  /** Called with a line for the terminal. */
  onLine(text: string): void;
}

/** What `npm start` does, in order. */
export function stages({ config, dataDir, closers, onFailed, onLine }: Given): ListrTask<Context>[] {
  const {
    HOST,
    PORT,
    SITE_PORT,
    DATABASE_URL,
    TEMPORAL_ADDRESS,
    OPENAI_API_KEY,
    OUTBOUND_ALLOW_HOSTS,
    SECRETS_KEY,
    METRICS_PORT,
    SHUTDOWN_DELAY,
  } = config;

  const servers: WatchedServer[] = [];
  const watch = (name: string, server: Server, restart: () => Promise<Server>) => {
    const watched = watchServer({ name, server, restart, onLine, onFailed });
    servers.push(watched);
    closers.add(name, watched.stop);
  };
  const child = async (name: string, script: string, env: Record<string, string>) => {
    const logs = join(dataDir, 'logs');
    mkdirSync(logs, { recursive: true });
    const log = createWriteStream(join(logs, `${name}.log`), { flags: 'a' });
    const running = supervise({
      name,
      script,
      env,
      defaults,
      ready: 'message',
      stopMs: STOP_MS + SHUTDOWN_DELAY * 1_000,
      beforeRestart: () => Promise.all(servers.map((each) => each.running())),
      onLine: (line) => log.write(`${line}\n`),
      onReady: (restarts) => restarts > 0 && onLine(`${name} is running again`),
      onExit: ({ again }) => again && onLine(`${name} ended unexpectedly; starting it again`),
    });
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
        const port = Number(new URL(postgres.url).port);
        watch('PostgreSQL', postgres, () => startPostgres({ dataDir, port }));
        env.DATABASE_URL = postgres.url;
        task.title = `PostgreSQL ${postgres.adopted ? 'was still running' : 'started'}`;
      },
    },
    {
      title: 'Temporal',
      skip: () => TEMPORAL_ADDRESS !== undefined && `Temporal: the one at ${TEMPORAL_ADDRESS}`,
      async task(context, task) {
        const temporal = await startTemporal({ dataDir, onStep: saying(task) });
        watch('Temporal', temporal, () => startTemporal({ dataDir, ports: temporal.ports }));
        context.env.TEMPORAL_ADDRESS = temporal.address;
        context.temporalUi = temporal.uiUrl;
        task.title = 'Temporal dev server started';
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
      title: 'Tables',
      async task({ env }) {
        const services = await openOwnServices({
          ...config,
          DATABASE_URL: env.DATABASE_URL ?? DATABASE_URL!,
          SECRETS_KEY: SECRETS_KEY ?? [env.SECRETS_KEY!],
        });
        await services.close();
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
