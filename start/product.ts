import type { FastifyInstance } from 'fastify';
import { createGateway } from '../gateway/gateway.ts';
import { type HttpSourceOptions, httpSource } from '../gateway/source-http.ts';
import { InFlight } from '../gateway/source-sharing.ts';
import { ownSubgraphCheck } from '../gateway/subgraph-check.ts';
import { restAdapter } from '../rest-adapter/adapter.ts';
import { unreadablePaths } from '../rest-adapter/unreadable-paths.ts';
import { CONSTRAINT, describeConstraints } from '../schema/constraint.ts';
import type { FileStore } from '../schema/files.ts';
import type { Checks } from '../schema/readiness.ts';
import { scalars, teachScalars } from '../schema/scalars.ts';
import { admission } from '../server/admission-query.ts';
import { httpFiles } from '../server/files-http.ts';
import { graphqlEndpoint } from '../server/graphql/endpoint.ts';
import { settingsOf } from '../server/graphql/settings.ts';
import { createLogger } from '../server/logging.ts';
import { createServer } from '../server/server.ts';
import { declaredLimits } from '../subgraphs/common/declared-limits.ts';
import { fileStore } from '../subgraphs/common/files/store.ts';
import { scopeFactory } from '../subgraphs/common/scope.ts';
import { buildSubgraph, inProcess } from '../subgraphs/common/subgraph.ts';
import type { GatewayConfiguration } from './gateway-configuration.ts';
import { restTables, subgraphs } from './graph.ts';
import { idempotent } from './idempotent.ts';
import { openOwnServices } from './services.ts';
import { sourcesOfOthers } from './subgraph-sources.ts';
import { startTelemetry } from './telemetry.ts';
import { version } from './version.ts';

/** Graph, REST face and site-content surface, with every subgraph of the product that has no address in the same process. */
export async function startProduct(configuration: GatewayConfiguration, leaving: AbortSignal) {
  const { config, manifests, tls } = configuration;
  const { HOST, PORT, SITE_PORT, SITE_HOST, PUBLIC_URL, BODY_LIMIT } = config;
  const telemetry = await startTelemetry('gateway', configuration.telemetry);
  const inFlight = config.SHARE_REQUESTS ? new InFlight() : undefined;
  const how = { inFlight, trace: telemetry.headers };
  const { sources, files, services, checks, close: closeServices } = await openSources(configuration, how);
  if (services) telemetry.watchQueues(services.pool);
  const gateway = createGateway({
    supergraph: configuration.supergraph.text,
    sources,
    inFlight,
    apiDirectives: [CONSTRAINT],
    scalars,
    limits: declaredLimits(),
    onFault: (subgraph, err) => logger.error({ subgraph, err }, 'a subgraph failed'),
    observer: telemetry.observer,
  });
  const logger = createLogger(config.LOG_LEVEL);
  teachScalars(gateway.schema);
  describeConstraints(gateway.schema);
  const admit = admission(sources.catalog!);

  const server = (listener: 'main' | 'site') =>
    createServer({
      logger,
      tls,
      trustProxy: config.TRUST_PROXY,
      allowHttp: config.ALLOW_HTTP,
      checks,
      leaving,
      frameworkErrors: unreadablePaths(restTables, listener, { admit }),
    });
  const settings = settingsOf(config, manifests);
  const { schema, prepare } = gateway;
  const rest = (listener: 'main' | 'site') =>
    restAdapter({
      tables: restTables,
      schema,
      prepare,
      admit,
      timeout: settings.timeout,
      answerLimit: settings.answerLimit,
      files,
      listener,
      version,
      publicUrl: PUBLIC_URL,
      bodyLimit: BODY_LIMIT,
      idempotent,
    });

  const main = server('main');
  main.register((app) => graphqlEndpoint(app, { gateway, admit, ...settings }));
  main.register(rest('main'));
  if (SITE_HOST) main.register((app) => onHost(app, SITE_HOST, rest('site')));
  const site = server('site');
  site.register(rest('site'));

  const url = await main.listen({ host: HOST, port: PORT });
  const siteUrl = await site.listen({ host: HOST, port: SITE_PORT });
  return {
    addresses: { url, siteUrl },
    async close() {
      await Promise.all([main.close(), site.close()]);
      await gateway.close();
      await closeServices();
      await telemetry.close();
    },
  };
}

/** In process, or over HTTP: one setting per subgraph. */
async function openSources(
  { config, others, services: servicesConfig }: GatewayConfiguration,
  how: Pick<HttpSourceOptions, 'inFlight' | 'trace'>,
) {
  const { SUBGRAPH_SECRET: secret = '' } = config;
  const { sources, checks: checksOfOthers } = sourcesOfOthers(others, config, how);
  const services = servicesConfig && (await openOwnServices(servicesConfig));
  const scopeOf = services && scopeFactory(services);
  const checks: Record<string, Checks[string]> = { ...checksOfOthers };
  if (services) checks.database = () => services.pool.query('select 1');
  for (const { parts, url } of subgraphs) {
    const address = config[url];
    if (address) checks[parts.name] = ownSubgraphCheck(address, secret);
    sources[parts.name] = address
      ? httpSource({ url: `${address}/graphql`, secret, ...how })
      : inProcess(await buildSubgraph(parts), scopeOf!);
  }
  const files: FileStore = config.CATALOG_URL ? httpFiles({ url: `${config.CATALOG_URL}/files`, secret }) : fileStore(scopeOf!);
  return { sources, files, services, checks, close: async () => services?.close() };
}

/** The same routes, reached by another host name on the same port. */
async function onHost(app: FastifyInstance, host: string, routes: ReturnType<typeof restAdapter>): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.constraints = { host };
  });
  await app.register(routes);
}
