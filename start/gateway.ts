import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { admission } from '../gateway/admission.ts';
import { readConfig } from '../gateway/config.ts';
import { httpFiles } from '../gateway/files-http.ts';
import { createGateway } from '../gateway/gateway.ts';
import { graphqlEndpoint } from '../gateway/http/endpoint.ts';
import { createLogger } from '../gateway/http/logging.ts';
import { createServer } from '../gateway/http/server.ts';
import { httpSource } from '../gateway/source-http.ts';
import { restAdapter } from '../rest-adapter/adapter.ts';
import { unreadablePaths } from '../rest-adapter/unreadable-paths.ts';
import type { FileStore } from '../schema/files.ts';
import type { Source } from '../schema/request.ts';
import { scalars, teachScalars } from '../schema/scalars.ts';
import { fileStore } from '../subgraphs/common/files/store.ts';
import { scopeFactory } from '../subgraphs/common/scope.ts';
import { buildSubgraph, inProcess } from '../subgraphs/common/subgraph.ts';
import { restTables, subgraphs } from './graph.ts';
import { runProcess } from './process.ts';
import { openServingServices } from './services.ts';
import { version } from './version.ts';

type Config = ReturnType<typeof readConfig>;

/** The gateway process: graph, REST face and site-content surface, with every subgraph that has no address in the same process. */
export async function startGateway(config: Config = readConfig()) {
  const { HOST, PORT, SITE_PORT, SITE_HOST, PUBLIC_URL } = config;
  const { sources, files, ready, close: closeServices } = await openSources(config);
  const gateway = createGateway({
    supergraph: await readFile(config.SUPERGRAPH, 'utf8'),
    sources,
    scalars,
    onFault: (subgraph, err) => logger.error({ subgraph, err }, 'a subgraph failed'),
  });
  const logger = createLogger(config.LOG_LEVEL);
  teachScalars(gateway.schema);
  const admit = admission(sources.catalog!);

  const server = async (listener: 'main' | 'site') =>
    createServer({
      logger,
      tls: await readTls(config),
      trustProxy: config.TRUST_PROXY,
      allowHttp: config.ALLOW_HTTP,
      ready,
      frameworkErrors: unreadablePaths(restTables, listener),
    });
  const { schema, prepare } = gateway;
  const rest = (listener: 'main' | 'site') =>
    restAdapter({ tables: restTables, schema, prepare, admit, files, listener, version, publicUrl: PUBLIC_URL });

  const main = await server('main');
  main.register((app) => graphqlEndpoint(app, { gateway, admit, introspection: config.INTROSPECTION }));
  main.register(rest('main'));
  if (SITE_HOST) main.register((app) => onHost(app, SITE_HOST, rest('site')));
  const site = await server('site');
  site.register(rest('site'));

  const url = await main.listen({ host: HOST, port: PORT });
  const siteUrl = await site.listen({ host: HOST, port: SITE_PORT });
  return {
    url,
    siteUrl,
    async close() {
      await Promise.all([main.close(), site.close()]);
      await gateway.close();
      await closeServices();
    },
  };
}

/** In process, or over HTTP: one setting per subgraph. */
async function openSources(config: Config) {
  const local = subgraphs.filter(({ url }) => !config[url]);
  const services = local.length > 0 ? await openServingServices() : undefined;
  const scopeOf = services && scopeFactory(services);
  const sources: Record<string, Source> = {};
  for (const { parts, url } of subgraphs) {
    const address = config[url];
    sources[parts.name] = address
      ? httpSource({ url: `${address}/graphql`, secret: config.SUBGRAPH_SECRET })
      : inProcess(await buildSubgraph(parts), scopeOf!);
  }
  const files: FileStore = config.CATALOG_URL
    ? httpFiles({ url: `${config.CATALOG_URL}/files`, secret: config.SUBGRAPH_SECRET })
    : fileStore(scopeOf!);
  return {
    sources,
    files,
    ready: async () => void (await services?.pool.query('select 1')),
    close: async () => services?.close(),
  };
}

/** The same routes, reached by another host name on the same port. */
async function onHost(app: FastifyInstance, host: string, routes: ReturnType<typeof restAdapter>): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.constraints = { host };
  });
  await app.register(routes);
}

async function readTls({ TLS_CERT, TLS_KEY }: Config) {
  if (!TLS_CERT || !TLS_KEY) return undefined;
  return { cert: await readFile(TLS_CERT), key: await readFile(TLS_KEY) };
}

if (import.meta.main) {
  await runProcess('gateway', async () => {
    const { url, siteUrl, close } = await startGateway();
    return { addresses: { url, siteUrl }, close };
  });
}
