import cookies from '@fastify/cookie';
import { type Source, storeUsage, UsageCollector, type UsageStore } from 'compiled-gateway';
import type { FastifyInstance } from 'fastify';
import { parse } from 'graphql';
import type { Logger } from 'pino';
import product from '../../package.json' with { type: 'json' };
import type { Stop } from '../../platform/queues/background.ts';
import { declaredLimits } from '../../platform/subgraph/describe.ts';
import { createGraph } from '../../platform/subgraph/services.ts';
import { restAdapter, unreadablePaths } from '../../rest-adapter/adapter.ts';
import { parserRefusals } from '../../rest-adapter/answer/unmatched.ts';
import { mcpEndpoint } from '../../rest-adapter/mcp/mcp-endpoint.ts';
import { UploadBudget } from '../../rest-adapter/request/upload-space.ts';
import { restTables } from '../../rest-adapter/routes/index.ts';
import { ACCESS, CONSTRAINT, describeConstraints, SEMANTIC_NON_NULL } from '../../schema/directives.ts';
import idempotent from '../../schema/idempotent-operations.json' with { type: 'json' };
import { scalars, teachScalars } from '../../schema/scalars.ts';
import { graphqlEndpoint, settingsOf } from '../../server/graphql/graphql-endpoint.ts';
import { createLogger } from '../../server/logging.ts';
import { admission, sessionQueries, signingCallers, toolAccess } from '../../server/request-admission.ts';
import { createServer, watchOverload } from '../../server/server.ts';
import { sessionReader } from '../../server/sign-in/cookies.ts';
import { signInOf, signInRoutes } from '../../server/sign-in/sign-in-routes.ts';
import { type SendPage, servePages } from '../../server/static-pages.ts';
import * as visitorOperations from '../../web/shared/visitor-operations.ts';
import { pageFiles } from '../page-builds.ts';
import { SERVER_CLOSE_MS } from '../process/run.ts';
import { DRAIN_MS } from '../process-services.ts';
import { startTelemetry } from '../telemetry/start.ts';
import { agentGraphEndpoint, agentOperations, localGraph } from './agent-graph.ts';
import type { GatewayConfiguration } from './configuration.ts';
import { graphiqlExamples } from './graphiql-examples.ts';
import { inboundMailRoutes } from './inbound-mail.ts';
import { linkOf, openGateway } from './open-gateway.ts';
import { openOwnSubgraphs } from './own-subgraphs.ts';
import { externalChecks, followUpdates } from './supergraph.ts';

/** The GraphQL, REST and site-content APIs, with every subgraph that has no URL in the same process. */
export async function startProduct(configuration: GatewayConfiguration, leaving: AbortSignal) {
  const { config, manifests, tls, supergraph } = configuration;
  const { HOST, PORT, SITE_PORT, SITE_HOST, PUBLIC_URL } = config;
  const telemetry = await startTelemetry('gateway', configuration.telemetry);
  const link = linkOf(config, telemetry);
  const { own, identity, files, services, checks: ownChecks, close: closeOwn } = await openOwnSubgraphs(configuration, link);
  if (services) telemetry.watchDatabase(services.pool);
  const logger = createLogger(config.LOG_LEVEL);
  const usage = new UsageCollector();
  const { gateway, supergraph: served } = await openGateway(
    { config, supergraph, link, logger, observer: telemetry.observer, own },
    { apiDirectives: [CONSTRAINT, ACCESS, SEMANTIC_NON_NULL], scalars, limits: declaredLimits(), usage },
  );
  const checks = externalChecks(served, config, ownChecks);
  gateway.derive(({ schema }) => {
    teachScalars(schema);
    describeConstraints(schema);
  });
  const { CALLER_SECRET: callerSecret } = config;
  const admit = callerSecret ? signingCallers(admission(identity), callerSecret) : admission(identity);
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
  const surfaceOptions = {
    tables: restTables,
    schema,
    prepare,
    admit,
    files,
    version: product.version,
    // Also those of separate subgraph processes.
    idempotent,
    timeout: settings.timeout,
    corsOrigins: config.CORS_ORIGINS,
    publicUrl: PUBLIC_URL,
  };
  const uploads = new UploadBudget(config.UPLOAD_BUDGET);
  const rest = (listener: 'main' | 'site', sendHome?: SendPage) =>
    restAdapter({
      ...surfaceOptions,
      uploads,
      listener,
      sendHome,
      // The cookie of a host is also sent to its other ports.
      ...(listener === 'main' && { readSession }),
    });

  const main = server('main');
  // Cookies are read only where sessions count.
  await main.register(cookies, { hook: false });
  const siteHost = SITE_HOST ? hostPattern(SITE_HOST) : undefined;
  const sendPage = await servePages(main, pageFiles, siteHost);
  main.register((app) =>
    graphqlEndpoint(app, { gateway, admit, readSession, graphiqlExamples, own: Object.values(visitorOperations), ...settings }),
  );
  main.register((app) => mcpEndpoint(app, { ...surfaceOptions, access: toolAccess(identity) }));
  main.register((app) => signInRoutes(app, { ...signIn, own: ownOrigin, admit, sessions: sessionQueries(identity), sendPage }));
  main.register(rest('main', sendPage));
  const { SUBGRAPH_SECRET: secret } = config;
  if (secret) main.register((app) => agentGraphEndpoint(app, { operations: forAgents, secret }));
  const { MAIL_INBOUND_SECRET: mailSecret } = config;
  if (mailSecret) main.register((app) => inboundMailRoutes(app, { agent: own.get('agent')!, secret: mailSecret }));
  if (siteHost) main.register((app) => onHost(app, siteHost, rest('site')));
  const site = server('site');
  site.register(rest('site'));

  const url = await main.listen({ host: HOST, port: PORT });
  const siteUrl = await site.listen({ host: HOST, port: SITE_PORT });
  const stopUsage = recordUsage(usage, { gateway, catalog: own.get('catalog')!, logger });
  const stopFollowing = followUpdates(gateway, supergraph.location, { logger, telemetry, onReplaced: checks.replace });
  return {
    addresses: { url, siteUrl },
    async close(stop: Stop) {
      overload.stop();
      await Promise.all([
        stop('supergraph', stopFollowing),
        stop('requests', () => Promise.all([main.close(), site.close()]), SERVER_CLOSE_MS),
        stop('replies', () => services?.background.drain(DRAIN_MS), SERVER_CLOSE_MS),
      ]);
      await stop('counts of operations', stopUsage);
      await stop('subgraphs', () => gateway.close());
      await Promise.all([closeOwn(stop), stop('telemetry', telemetry.close)]);
    },
  };
}

/** Matches a `Host` header: names ignore case, and may end with a dot and have a port. */
const hostPattern = (name: string): RegExp => new RegExp(`^${RegExp.escape(name)}\\.?(:\\d+)?$`, 'i');

/** The same routes for another host name on the same port. */
async function onHost(app: FastifyInstance, host: RegExp, routes: ReturnType<typeof restAdapter>): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.constraints = { host };
  });
  await app.register(routes);
}

const mutation = (text: string) => ({ text, document: parse(text) });
const usageMutation = mutation('mutation ($batch: String!) { recordUsage(batch: $batch) }');
const schemaMutation = mutation('mutation ($schema: String!) { recordSchema(schema: $schema) }');

interface RecordingOptions {
  gateway: Parameters<typeof storeUsage>[1]['gateway'];
  /** The subgraph that stores the counts. */
  catalog: Source;
  logger: Logger;
}

/** Store the counts of the gateway and its schemas. Returns a function that stores the last counts and stops. */
function recordUsage(collector: UsageCollector, { gateway, catalog, logger }: RecordingOptions): () => Promise<void> {
  async function run(operation: ReturnType<typeof mutation>, variables: Record<string, string>) {
    const { data, errors } = await catalog.execute({ ...operation, variables, context: { headers: {} }, isUnique: true });
    if (errors?.length || !data) throw new Error(`The catalog does not store it: ${errors?.[0]?.message}`);
    return data;
  }
  const store: UsageStore = {
    recordUsage: async (batch) => (await run(usageMutation, { batch: JSON.stringify(batch) })).recordUsage as string[],
    recordSchema: async (schema) => void (await run(schemaMutation, { schema: JSON.stringify(schema) })),
  };
  const onFailure = (err: unknown) => logger.warn({ err }, 'Failed to store the counts of operations; trying again');
  return storeUsage(collector, { gateway, store, onFailure });
}
