import type { FastifyInstance } from 'fastify';
import { admission } from '../gateway/admission.ts';
import type { readConfig } from '../gateway/config.ts';
import { httpFiles } from '../gateway/files-http.ts';
import { graphqlEndpoint } from '../gateway/http/endpoint.ts';
import { createLogger } from '../gateway/http/logging.ts';
import { createServer } from '../gateway/http/server.ts';
import { readSettings } from '../gateway/http/settings.ts';
import { readTls } from '../gateway/http/tls.ts';
import { createLiveGateway, type Opening } from '../gateway/live/live.ts';
import { type HttpSourceOptions, httpSource } from '../gateway/source-http.ts';
import { InFlight } from '../gateway/source-sharing.ts';
import { subgraphsOf } from '../gateway/supergraph/subgraphs.ts';
import { restAdapter } from '../rest-adapter/adapter.ts';
import { unreadablePaths } from '../rest-adapter/unreadable-paths.ts';
import type { FileStore } from '../schema/files.ts';
import type { Source } from '../schema/request.ts';
import { scalars, teachScalars } from '../schema/scalars.ts';
import { fileStore } from '../subgraphs/common/files/store.ts';
import { scopeFactory } from '../subgraphs/common/scope.ts';
import { buildSubgraph, inProcess } from '../subgraphs/common/subgraph.ts';
import { restTables, subgraphs } from './graph.ts';
import { openServingServices } from './services.ts';
import { openingsOfOthers, verbatimOf } from './subgraph-sources.ts';
import { keepCurrent, type StartingSupergraph, served } from './supergraph.ts';
import { startTelemetry } from './telemetry.ts';
import { version } from './version.ts';

type Config = ReturnType<typeof readConfig>;

/** Graph, REST face and site-content surface, with every subgraph of the product that has no address in the same process. */
export async function startProduct(config: Config, supergraph: StartingSupergraph) {
  const { HOST, PORT, SITE_PORT, SITE_HOST, PUBLIC_URL, BODY_LIMIT } = config;
  const telemetry = await startTelemetry('gateway');
  const inFlight = config.SHARE_REQUESTS ? new InFlight() : undefined;
  const how = { inFlight, trace: telemetry.headers };
  const { own, files, ready, close: closeServices } = await openOwn(config, how);
  const logger = createLogger(config.LOG_LEVEL);
  const gateway = served(supergraph, () =>
    createLiveGateway({
      supergraph: supergraph.text,
      openings: (sdl) => ({
        ...openingsOfOthers(
          subgraphsOf(sdl).filter(({ name }) => !own.has(name)),
          config,
          how,
        ),
        ...Object.fromEntries([...own].map(([name, source]): [string, Opening] => [name, { address: name, open: () => source }])),
      }),
      verbatim: verbatimOf(new Set(own.keys()), config),
      inFlight,
      scalars,
      onFault: (subgraph, err) => logger.error({ subgraph, err }, 'a subgraph failed'),
      observer: telemetry.observer,
      grace: config.OPERATION_TIMEOUT * 1_000,
    }),
  );
  gateway.derive(({ schema }) => teachScalars(schema));
  const admit = admission(own.get('catalog')!);

  const server = async (listener: 'main' | 'site') =>
    createServer({
      logger,
      tls: await readTls(config),
      trustProxy: config.TRUST_PROXY,
      allowHttp: config.ALLOW_HTTP,
      ready,
      frameworkErrors: unreadablePaths(restTables, listener, { admit }),
    });
  const settings = await readSettings(config);
  const { schema, prepare } = gateway;
  const rest = (listener: 'main' | 'site') =>
    restAdapter({
      tables: restTables,
      schema,
      prepare,
      admit,
      timeout: settings.timeout,
      files,
      listener,
      version,
      publicUrl: PUBLIC_URL,
      bodyLimit: BODY_LIMIT,
    });

  const main = await server('main');
  main.register((app) => graphqlEndpoint(app, { gateway, admit, ...settings }));
  main.register(rest('main'));
  if (SITE_HOST) main.register((app) => onHost(app, SITE_HOST, rest('site')));
  const site = await server('site');
  site.register(rest('site'));

  const url = await main.listen({ host: HOST, port: PORT });
  const siteUrl = await site.listen({ host: HOST, port: SITE_PORT });
  const stopFollowing = keepCurrent(gateway, supergraph.location, logger, telemetry);
  return {
    addresses: { url, siteUrl },
    async close() {
      await stopFollowing();
      await Promise.all([main.close(), site.close()]);
      await gateway.close();
      await closeServices();
      await telemetry.close();
    },
  };
}

/** The product's own subgraphs in process, or over HTTP: one setting per subgraph. */
async function openOwn(config: Config, how: Pick<HttpSourceOptions, 'inFlight' | 'trace'>) {
  const own = new Map<string, Source>();
  const local = subgraphs.filter(({ url }) => !config[url]);
  const services = local.length > 0 ? await openServingServices() : undefined;
  const scopeOf = services && scopeFactory(services);
  for (const { parts, url } of subgraphs) {
    const address = config[url];
    const source = address
      ? httpSource({ url: `${address}/graphql`, secret: config.SUBGRAPH_SECRET, ...how })
      : inProcess(await buildSubgraph(parts), scopeOf!);
    own.set(parts.name, source);
  }
  const files: FileStore = config.CATALOG_URL
    ? httpFiles({ url: `${config.CATALOG_URL}/files`, secret: config.SUBGRAPH_SECRET })
    : fileStore(scopeOf!);
  return {
    own,
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
