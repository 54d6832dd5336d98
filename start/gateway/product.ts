import cookies from '@fastify/cookie';
import { createLiveGateway, type HttpSourceOptions, httpSource, InFlight, type Opening, type Source } from 'compiled-gateway';
import type { FastifyInstance } from 'fastify';
import { restAdapter } from '../../rest-adapter/adapter.ts';
import { parserRefusals, unreadablePaths } from '../../rest-adapter/answer/unreadable-paths.ts';
import { mcpEndpoint } from '../../rest-adapter/mcp/endpoint.ts';
import { UploadBudget } from '../../rest-adapter/request/upload-budget.ts';
import { restTables } from '../../rest-adapter/routes/index.ts';
import { CONSTRAINT, describeConstraints } from '../../schema/constraint.ts';
import type { FileStore } from '../../schema/files.ts';
import type { Check } from '../../schema/readiness.ts';
import { scalars, teachScalars } from '../../schema/scalars.ts';
import { admission, toolAccess } from '../../server/admission-query.ts';
import { httpFiles } from '../../server/files-http.ts';
import { graphqlEndpoint } from '../../server/graphql/endpoint.ts';
import { settingsOf } from '../../server/graphql/settings.ts';
import { createLogger } from '../../server/logging.ts';
import { watchOverload } from '../../server/overload.ts';
import { type SendPage, servePages } from '../../server/pages.ts';
import { createServer } from '../../server/server.ts';
import { sessionReader } from '../../server/sign-in/cookie.ts';
import { sessionQueries } from '../../server/sign-in/queries.ts';
import { signInRoutes } from '../../server/sign-in/routes.ts';
import { signInOf } from '../../server/sign-in/settings.ts';
import { fileStore } from '../../subgraphs/common/files/store.ts';
import { createGraph } from '../../subgraphs/common/graph.ts';
import { scopeFactory } from '../../subgraphs/common/scope-factory.ts';
import { buildSubgraph, inProcess } from '../../subgraphs/common/subgraph/build.ts';
import { declaredLimits } from '../../subgraphs/common/subgraph/declared-limits.ts';
import { subgraphs } from '../graph.ts';
import { pageFiles } from '../pages/files.ts';
import { DRAIN_MS, openOwnServices } from '../services.ts';
import { startTelemetry } from '../telemetry/start.ts';
import { version } from '../version.ts';
import { agentGraphEndpoint, agentOperations, localGraph } from './agent-graph.ts';
import type { GatewayConfiguration } from './configuration.ts';
import { graphiqlExamples } from './graphiql-examples.ts';
import { idempotent } from './idempotent.ts';
import { linkTimeout } from './link-timeout.ts';
import { ownSubgraphCheck } from './own-subgraph-check.ts';
import { externalChecks, externalSources, unmaskedSubgraphs } from './subgraph-sources.ts';
import { createGateway, followUpdates } from './supergraph.ts';

/** The GraphQL, REST and site-content APIs, with every subgraph that has no URL in the same process. */
export async function startProduct(configuration: GatewayConfiguration, leaving: AbortSignal) {
  const { config, manifests, tls, supergraph } = configuration;
  const { HOST, PORT, SITE_PORT, SITE_HOST, PUBLIC_URL, BODY_LIMIT } = config;
  const telemetry = await startTelemetry('gateway', configuration.telemetry);
  const inFlight = config.SHARE_REQUESTS ? new InFlight() : undefined;
  const timeoutMs = linkTimeout(config.OPERATION_TIMEOUT);
  const how = { inFlight, trace: telemetry.headers, timeoutMs };
  const { own, identity, files, services, checks: ownChecks, close: closeOwn } = await openOwn(configuration, how);
  if (services) telemetry.watchDatabase(services.pool);
  const logger = createLogger(config.LOG_LEVEL);
  const checks = externalChecks(supergraph.text, config, ownChecks);
  const gateway = createGateway(supergraph, () =>
    createLiveGateway({
      supergraph: supergraph.text,
      openings: (sdl) => ({
        ...externalSources(sdl, config, how),
        ...Object.fromEntries([...own].map(([name, source]): [string, Opening] => [name, { address: name, open: () => source }])),
      }),
      verbatim: unmaskedSubgraphs(config, new Set(own.keys())),
      inFlight,
      apiDirectives: [CONSTRAINT],
      scalars,
      limits: declaredLimits(),
      onFault: (subgraph, err) => logger.error({ subgraph, err }, 'a subgraph failed'),
      observer: telemetry.observer,
      grace: config.OPERATION_TIMEOUT * 1_000,
    }),
  );
  gateway.derive(({ schema }) => {
    teachScalars(schema);
    describeConstraints(schema);
  });
  const admit = admission(identity);
  const { own: ownOrigin, ...signIn } = signInOf(config);
  const readSession = sessionReader(ownOrigin);
  const forAgents = agentOperations(gateway);
  if (services) services.graph = createGraph(services.secrets, localGraph(forAgents));

  const overload = watchOverload(config.MAX_EVENT_LOOP_DELAY);
  const server = (listener: 'main' | 'site') =>
    createServer({
      logger,
      overload,
      tls,
      trustProxy: config.TRUST_PROXY,
      allowHttp: config.ALLOW_HTTP,
      checks: checks.current,
      leaving,
      frameworkErrors: unreadablePaths(restTables, listener, { admit }),
      parserRefusal: parserRefusals(restTables, listener),
    });
  const settings = settingsOf(config, manifests);
  const { schema, prepare } = gateway;
  const mcp = {
    tables: restTables,
    schema,
    prepare,
    admit,
    access: toolAccess(identity),
    files,
    version,
    timeout: settings.timeout,
    answerLimit: settings.answerLimit,
    bodyLimit: BODY_LIMIT,
    corsOrigins: config.CORS_ORIGINS,
    publicUrl: PUBLIC_URL,
    idempotent,
  };
  const uploads = new UploadBudget(config.UPLOAD_BUDGET);
  const rest = (listener: 'main' | 'site', sendHome?: SendPage) =>
    restAdapter({
      tables: restTables,
      schema,
      prepare,
      admit,
      timeout: settings.timeout,
      answerLimit: settings.answerLimit,
      files,
      uploads,
      listener,
      version,
      publicUrl: PUBLIC_URL,
      corsOrigins: settings.corsOrigins,
      bodyLimit: BODY_LIMIT,
      idempotent,
      sendHome,
      // The cookie of a host is also sent to its other ports.
      ...(listener === 'main' && { readSession }),
    });

  const main = server('main');
  // Cookies are read only where sessions count.
  await main.register(cookies, { hook: false });
  const sendPage = await servePages(main, pageFiles, SITE_HOST);
  main.register((app) => graphqlEndpoint(app, { gateway, admit, readSession, graphiqlExamples, ...settings }));
  main.register((app) => mcpEndpoint(app, mcp));
  main.register((app) => signInRoutes(app, { ...signIn, own: ownOrigin, admit, sessions: sessionQueries(identity), sendPage }));
  main.register(rest('main', sendPage));
  const { SUBGRAPH_SECRET: secret } = config;
  if (config.AGENT_URL && secret) main.register((app) => agentGraphEndpoint(app, { operations: forAgents, secret }));
  if (SITE_HOST) main.register((app) => onHost(app, SITE_HOST, rest('site')));
  const site = server('site');
  site.register(rest('site'));

  const url = await main.listen({ host: HOST, port: PORT });
  const siteUrl = await site.listen({ host: HOST, port: SITE_PORT });
  const stopFollowing = followUpdates(gateway, supergraph.location, { logger, telemetry, onReplaced: checks.replace });
  return {
    addresses: { url, siteUrl },
    async close() {
      await stopFollowing();
      overload.stop();
      await Promise.all([main.close(), site.close(), services?.background.drain(DRAIN_MS)]);
      await gateway.close();
      await closeOwn();
      await telemetry.close();
    },
  };
}

/** The product's own subgraphs, each in process or over HTTP, as configured. */
async function openOwn(
  { config, services: servicesConfig }: GatewayConfiguration,
  how: Pick<HttpSourceOptions, 'inFlight' | 'trace' | 'timeoutMs'>,
) {
  const { SUBGRAPH_SECRET: secret = '' } = config;
  const own = new Map<string, Source>();
  const services = servicesConfig && (await openOwnServices(servicesConfig));
  const scopeOf = services && scopeFactory(services);
  const checks: Record<string, Check> = {};
  if (services) checks.database = () => services.pool.query('select 1');
  for (const { parts, url } of subgraphs) {
    const address = config[url];
    if (address) checks[parts.name] = ownSubgraphCheck(address, secret);
    const source = address
      ? httpSource({ url: `${address}/graphql`, secret, ...how })
      : inProcess(await buildSubgraph(parts), scopeOf!);
    own.set(parts.name, source);
  }
  // Operations that hold all other connections to the subgraph must not delay the admission of callers.
  const identity = config.CATALOG_URL
    ? httpSource({ url: `${config.CATALOG_URL}/graphql`, secret, trace: how.trace })
    : own.get('catalog')!;
  const files: FileStore = config.CATALOG_URL ? httpFiles({ url: `${config.CATALOG_URL}/files`, secret }) : fileStore(scopeOf!);
  const close = async () => void (await Promise.all([config.CATALOG_URL && identity.close?.(), services?.close()]));
  return { own, identity, files, services, checks, close };
}

/** The same routes for another host name on the same port. */
async function onHost(app: FastifyInstance, host: string, routes: ReturnType<typeof restAdapter>): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.constraints = { host };
  });
  await app.register(routes);
}
