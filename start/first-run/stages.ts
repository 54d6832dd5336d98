import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { ListrTask } from 'listr2';
import { environment, type Name, readEnvironment } from '../../schema/environment.ts';
import { readGatewayFiles } from '../gateway/configuration.ts';
import { startOfflineModel } from '../offline-model/offline-model.ts';
import { buildPages } from '../page-builds.ts';
import type { Closers } from '../process/closers.ts';
import { readAll } from '../process/config.ts';
import { openOwnServices } from '../process-services.ts';
import type { CustomerShop } from '../sample/customer-shop.ts';
import { createSample, findShopAgent, isSampleComplete, SAMPLE, type Sample, sampleSignInUrl } from '../sample/first-run.ts';
import { takeLock } from '../servers/lock.ts';
import { openLog } from '../servers/log-file.ts';
import { storedPort } from '../servers/ports.ts';
import { startPostgres } from '../servers/postgres.ts';
import { type Server, STOP_MS, supervise, type WatchedServer, watchServer } from '../servers/supervise.ts';
import { startTemporal } from '../servers/temporal.ts';

/** Results that each stage passes to later stages. */
export interface Context {
  env: Record<string, string>;
  url: string;
  siteUrl: string;
  /** Base URLs of the sample pages and orders. */
  pages: string;
  /** Folder of the log files of the processes. */
  logs: string;
  orders: string;
  customers: string;
  /** The page of the sample shop, with the chat. */
  shopUrl: string;
  /** A receiver of webhooks on this machine. */
  hooks: string;
  temporalUi?: string;
  /** Signs the owner of the sample organization in to the dashboard. */
  signInUrl?: string;
  sample?: Sample;
  shop?: CustomerShop;
  /** Whether the sample shop has its agent. */
  isShopOpen?: boolean;
  publish(info: Record<string, string>): void;
}

/** Defaults of local processes, which have one user and no load balancer. */
const defaults = { INTROSPECTION: 'true', SHUTDOWN_DELAY: '0' };

interface StageOptions {
  config: Awaited<ReturnType<typeof readConfig>>;
  dataDir: string;
  closers: Closers;
  /** Called when a process or server has failed too often. */
  onFailed(error: Error): void;
  /** Called with a line for the terminal. */
  onLine(text: string): void;
}

/** The steps of `npm start`, in order. */
export function stages({ config, dataDir, closers, onFailed, onLine }: StageOptions): ListrTask<Context>[] {
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
    SEARCH_URL,
  } = config;

  const servers: WatchedServer[] = [];
  const watch = async <T extends Server>(name: string, start: () => Promise<T>, restart: (server: T) => Promise<Server>) => {
    let watched: WatchedServer | undefined;
    const server = await closers.open(name, start, (each) => (watched ?? each).stop());
    watched = watchServer({ name, server, restart: () => restart(server), onLine, onFailed });
    servers.push(watched);
    return server;
  };
  const logs = join(dataDir, 'logs');
  const child = async (name: string, script: string, env: Record<string, string>) => {
    mkdirSync(logs, { recursive: true });
    const log = openLog(join(logs, `${name}.log`), {
      onFailed: ({ message }) => onLine(`Cannot write the log of ${name}: ${message}`),
    });
    const running = supervise({
      name,
      script,
      env,
      defaults,
      ready: 'message',
      stopMs: STOP_MS + SHUTDOWN_DELAY * 1_000,
      beforeRestart: () => Promise.all(servers.map((each) => each.running())),
      onLine: (line) => log.write(line),
      onReady: (restarts) => restarts > 0 && onLine(`${name} is running again`),
      onExit: ({ again }) => again && onLine(`${name} exited unexpectedly; restarting`),
    });
    running.failed.catch(onFailed);
    closers.add(name, async () => {
      await running.stop();
      log.close();
    });
    return running.ready;
  };

  return [
    {
      title: 'Data folder',
      async task(context, task) {
        const lock = await takeLock(dataDir);
        closers.add('the use of the data folder', () => lock.release());
        context.publish = (info) => lock.write(info);
        for (const [name, port] of Object.entries({ PORT, SITE_PORT })) await requireFree(name, HOST, port);
        task.title = `Data folder ${dataDir}`;
      },
    },
    {
      title: 'PostgreSQL',
      async task({ env }, task) {
        if (DATABASE_URL !== undefined) return retitle(task, 'PostgreSQL: using DATABASE_URL');
        const postgres = await watch(
          'PostgreSQL',
          () => startPostgres({ dataDir, onStep: showStep(task) }),
          ({ url }) => startPostgres({ dataDir, port: Number(new URL(url).port) }),
        );
        env.DATABASE_URL = postgres.url;
        task.title = `PostgreSQL ${postgres.adopted ? 'was still running' : 'started'}`;
      },
    },
    {
      title: 'Temporal',
      async task(context, task) {
        if (TEMPORAL_ADDRESS !== undefined) return retitle(task, `Temporal: using ${TEMPORAL_ADDRESS}`);
        const temporal = await watch(
          'Temporal',
          () => startTemporal({ dataDir, onStep: showStep(task) }),
          ({ ports }) => startTemporal({ dataDir, ports }),
        );
        context.env.TEMPORAL_ADDRESS = temporal.address;
        context.temporalUi = temporal.uiUrl;
        task.title = 'Temporal dev server started';
      },
    },
    {
      title: 'Secrets key',
      async task({ env }, task) {
        if (SECRETS_KEY !== undefined) return retitle(task, 'Secrets key: using SECRETS_KEY');
        const file = join(dataDir, 'secrets.key');
        env.SECRETS_KEY = await storedSecretsKey(file);
        task.title = `Secrets key in ${file}`;
      },
    },
    {
      title: 'Database migrations',
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
      title: modelTitle(config),
      async task(context) {
        // It also serves the pages and orders of the sample, which any model needs.
        const model = await startOfflineModel({ port: await storedPort(join(dataDir, 'offline-model.port')) });
        closers.add('offline model', model.close);
        const { pages, orders, customers, shop, shopUrl, hooks } = model;
        Object.assign(context, { pages, orders, customers, shop, shopUrl, hooks });
        context.env.OUTBOUND_ALLOW_HOSTS = [...OUTBOUND_ALLOW_HOSTS, new URL(model.url).host].join(',');
        if (OPENAI_API_KEY === undefined) {
          Object.assign(context.env, { OPENAI_API_KEY: 'offline', OPENAI_BASE_URL: model.url });
          // Market analyses need a search engine; this one finds the sample shops.
          if (SEARCH_URL === undefined) context.env.SEARCH_URL = model.search;
        }
      },
    },
    {
      title: 'Dashboard and widget',
      async task(_, task) {
        const { built, missing } = await buildPages(showStep(task));
        if (missing.length > 0) task.title = 'Dashboard and widget: not built, because vite is not installed';
        else task.title = `Dashboard and widget ${built.length > 0 ? 'built' : 'are current'}`;
      },
    },
    {
      title: 'Gateway and worker',
      async task(context, task) {
        const graph = graphForWorker(config);
        const [addresses] = await Promise.all([
          child('gateway', 'start/gateway.ts', { ...context.env, ...graph }),
          child('worker', 'start/worker.ts', {
            ...context.env,
            ...graph,
            ...(METRICS_PORT && { METRICS_PORT: String(METRICS_PORT + 1) }),
          }),
        ]);
        context.url = addresses.url!;
        context.siteUrl = addresses.siteUrl!;
        context.publish({
          url: context.url,
          siteUrl: context.siteUrl,
          ...(context.temporalUi && { temporalUi: context.temporalUi }),
        });
        task.title = `Gateway at ${context.url}, worker running`;
      },
    },
    {
      title: 'Sample organization',
      async task(context, task) {
        const databaseUrl = context.env.DATABASE_URL ?? DATABASE_URL!;
        if (await isSampleComplete(databaseUrl)) return retitle(task, `Sample organization ${SAMPLE.organization} exists`);
        const { url, pages, orders, customers, shopUrl, hooks } = context;
        context.sample = await createSample({ databaseUrl, url, pages, orders, customers, shopUrl, hooks });
        task.title = `Sample organization ${SAMPLE.organization} with ${context.sample.products.length} products, an agent and a site`;
      },
    },
    {
      title: 'Sample shop',
      async task(context, task) {
        const { env, url, shop, shopUrl } = context;
        const agent = await findShopAgent(env.DATABASE_URL ?? DATABASE_URL!, url, SECRETS_KEY ?? [env.SECRETS_KEY!]);
        if (!agent) return retitle(task, 'Sample shop: not open, because its agent is deleted');
        shop?.open(agent);
        context.isShopOpen = true;
        task.title = `Sample shop at ${shopUrl}`;
      },
    },
    {
      title: 'Sign-in link',
      async task(context) {
        context.signInUrl = await sampleSignInUrl(context.env.DATABASE_URL ?? DATABASE_URL!, context.url);
      },
    },
  ];
}

/** The title of the stage that starts the offline model, which serves the sample pages for any model. */
export const modelTitle = ({
  OPENAI_API_KEY,
  OPENAI_BASE_URL,
}: Pick<StageOptions['config'], 'OPENAI_API_KEY' | 'OPENAI_BASE_URL'>) => {
  if (OPENAI_API_KEY === undefined) return 'Offline model (no OPENAI_API_KEY)';
  return `Sample pages; model provider ${OPENAI_BASE_URL === undefined ? 'OpenAI' : new URL(OPENAI_BASE_URL).host}`;
};

/** Ends a stage that has nothing to do. Listr marks skipped stages with a warning sign. */
const retitle = (task: { title: string }, title: string) => {
  task.title = title;
};

/** Shows the current step of a stage below its title. */
const showStep = (task: { output: string }) => (text: string) => {
  task.output = text;
};

/** Check ports first; otherwise a conflict would surface only minutes later. */
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
    throw new Error(
      `Port ${port} is in use by another program. Stop that program, or choose another port: ${name}=${port + 10} npm start`,
    );
}

/** The way of the worker to the catalog, for tests of agents. A certificate need not be valid for the address of this machine. */
function graphForWorker({ HOST, PORT, TLS_CERT, GATEWAY_URL, SUBGRAPH_SECRET }: StageOptions['config']): Record<string, string> {
  if (GATEWAY_URL !== undefined || TLS_CERT !== undefined || PORT === 0) return {};
  const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST;
  return {
    GATEWAY_URL: `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`,
    SUBGRAPH_SECRET: SUBGRAPH_SECRET ?? randomBytes(32).toString('hex'),
  };
}

/** Read the configuration of `npm start` and of every process that it starts. Reports all faults together. */
export async function readConfig() {
  const { config } = await readAll({
    config: () => readEnvironment(Object.keys(environment) as Name[]),
    files: readGatewayFiles,
  });
  return config;
}

/** Read the key from this file, or generate it on the first start. Without it, stored secrets cannot be decrypted. */
export async function storedSecretsKey(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (known?.trim()) return known.trim();
  const key = randomBytes(32).toString('base64');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}
