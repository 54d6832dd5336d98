import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import cors from '@fastify/cors';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Manifest, readManifest } from '../documents/manifest.ts';
import { createLiveGateway } from '../live/live-gateway.ts';
import { openRegistry } from '../registry/registry-database.ts';
import { recordSchema } from '../registry/served-schemas.ts';
import { deleteOldUsage, recordUsage } from '../registry/usage-records.ts';
import { InFlight } from '../sources/in-flight.ts';
import { subgraphsOf } from '../supergraph/contents.ts';
import { buildNewest, followSupergraph, type SupergraphLocation, type SupergraphOutcome } from '../supergraph/location.ts';
import { supergraphAt } from '../supergraph/supergraph-at.ts';
import { metrics } from '../telemetry/metrics.ts';
import { UsageCollector } from '../usage/collector.ts';
import { storeUsage } from '../usage/storing.ts';
import { limitClients } from './client-limits.ts';
import { graphqlRoute } from './graphql-route.ts';
import { graphqlSocket } from './graphql-socket.ts';
import { createIdentify } from './identified-caller.ts';
import { createOperations, createPersisted } from './operations.ts';
import { loadPlugins, type Plugin } from './plugin.ts';
import { openingsOf } from './served-subgraphs.ts';
import {
  type Configuration,
  ConfigurationFault,
  checkConfiguration,
  type GivenConfiguration,
  warningsIn,
} from './server-configuration.ts';
import { createTokens } from './token-verification.ts';

export type { IncomingRequest, PlannedOperation, Plugin, SubgraphFetch } from './plugin.ts';
export { readConfiguration } from './read-configuration.ts';
export {
  type Configuration,
  ConfigurationFault,
  checkConfiguration,
  configurationSchema,
  type GivenConfiguration,
} from './server-configuration.ts';

/** A running server. */
interface Served {
  /** Address of the GraphQL endpoint. */
  readonly url: string;
  /** Address of the metrics, when they are served. */
  readonly metricsUrl?: string;
  /** Stop accepting requests, let running ones end, and close everything. */
  close(): Promise<void>;
}

/**
 * Serve a supergraph. Throws `ConfigurationFault` when it cannot.
 * @param plugins in addition to those of the configuration
 */
export async function serve(given: GivenConfiguration, plugins: readonly Plugin[] = []): Promise<Served> {
  const configuration = checkConfiguration(given);
  const { server, jwt, limits, documents } = configuration;
  const location = locationOf(configuration);
  await using stack = new AsyncDisposableStack();
  let stopFollowing: (() => Promise<void>) | undefined;
  // Following closes it too.
  stack.defer(() => (stopFollowing ? undefined : location.close()));
  const [supergraph, manifests, tokens, loaded, tls] = await Promise.all([
    readSupergraph(location),
    Promise.all(documents.manifests.map(manifestIn)),
    jwt && createTokens(jwt),
    loadPlugins(configuration.plugins),
    tlsOf(server.tls),
  ]);
  const all = [...loaded, ...plugins];
  for (const plugin of all) stack.defer(() => plugin.close?.());
  const registry = new Registry();
  const observer = configuration.metrics && metrics(registry);
  const app = fastify({
    logger: { level: configuration.log.level, stream: process.stderr },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: server.bodyBytes,
    trustProxy: server.trustProxy && ((_address, hop) => hop === 0),
    requestTimeout: REQUEST_MS,
    ...tls,
  }) as unknown as FastifyInstance;
  const { log } = app;
  for (const warning of warningsIn(configuration)) log.warn(warning);

  const usage = configuration.registry?.usage ? new UsageCollector() : undefined;
  const inFlight = configuration.shareRequests ? new InFlight() : undefined;
  const persisted = createPersisted();
  const report = (outcome: SupergraphOutcome, err?: Error) => {
    const isGood = outcome === 'applied' || outcome === 'recovered';
    log[isGood ? 'info' : 'error']({ supergraph: location.name, outcome, err }, isGood ? 'The supergraph is current' : KEPT);
    observer?.supergraph?.(outcome);
  };
  const build = (sdl: string) => {
    const built = createLiveGateway({
      supergraph: sdl,
      openings: (next) =>
        openingsOf(next, { configuration, plugins: all, inFlight, log, isStrict: next === supergraph && !location.readEarlier }),
      // Their sources mask what callers may not see.
      verbatim: (names) => names,
      inFlight,
      observer,
      usage,
      rejectUnauthorized: configuration.authorization.rejectUnauthorized,
      onFault: (subgraph, err) => log.error({ subgraph, err }, 'A subgraph failed'),
      grace: server.timeoutSeconds * 1_000,
    });
    const known = built.derive((current) =>
      createOperations(current, { documents, limits, introspection: server.introspection, manifests, plugins: all, persisted }),
    );
    return { gateway: built, known };
  };
  const { gateway, known } = await buildNewest(location, supergraph, build, (error) => report('refused', error)).catch((error) => {
    throw error instanceof ConfigurationFault
      ? error
      : new ConfigurationFault([`supergraph.source: ${location.name} cannot be served: ${(error as Error).message}`]);
  });
  stack.defer(() => gateway.close());
  const front = {
    configuration,
    plugins: all,
    identify: createIdentify(configuration, tokens, all),
    find: (...request: Parameters<ReturnType<typeof known>>) => known()(...request),
  };

  const countRequest = await limitClients(app, configuration, front.identify);
  if (server.corsOrigins.length > 0)
    await app.register(cors, { origin: server.corsOrigins.includes('*') ? '*' : server.corsOrigins });
  let isLeaving = false;
  app.get('/healthz', { config: { rateLimit: false } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config: { rateLimit: false } }, async (_request, reply) =>
    reply.code(isLeaving ? 503 : 200).send({ status: isLeaving ? 'leaving' : 'ready' }),
  );
  app.register(async (inner) => graphqlRoute(inner, front));
  const addressOf = ({ headers, socket }: IncomingMessage): string => {
    const forwarded = server.trustProxy ? String(headers['x-forwarded-for'] ?? '') : '';
    return forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() || (socket.remoteAddress ?? '');
  };
  let closeSockets: (() => Promise<void>) | undefined;
  const stopServing = async () => {
    isLeaving = true;
    // No operation runs any more then; a client that sends or reads nothing would delay the end.
    setTimeout(() => app.server.closeAllConnections(), server.timeoutSeconds * 1_000).unref();
    // No new supergraph opens sources while the gateway closes.
    await Promise.all([closeSockets?.(), app.close(), stopFollowing?.()]);
  };
  // Last counts come after the last requests.
  let stopUsage: (() => Promise<void>) | undefined;
  stack.defer(() => stopUsage?.());
  const monitoring = configuration.metrics && (await serveMetrics(registry, configuration.metrics));
  if (monitoring) stack.defer(monitoring.close);
  stack.defer(stopServing);
  await app.ready();
  closeSockets = graphqlSocket(app.server, { ...front, schema: () => gateway.schema, addressOf, countRequest, tokens, log });
  stopUsage = usage && (await countUsage(usage, { ...configuration.registry!, gateway, log }));
  // Last, because it logs that the server is reachable.
  const address = await app.listen({ host: server.host, port: server.port });
  stopFollowing = followSupergraph({ location, replace: (text) => gateway.replace(text), onOutcome: report });

  const running = stack.move();
  return { url: `${address}${server.path}`, metricsUrl: monitoring?.url, close: () => running.disposeAsync() };
}

/** Milliseconds in which a request must have arrived. */
const REQUEST_MS = 60_000;

const KEPT = 'The new supergraph is not served; the gateway keeps the old one';

function locationOf({ supergraph, registry }: Configuration): SupergraphLocation {
  const { source = registry!.database, headers, pollSeconds } = supergraph;
  try {
    return supergraphAt(source, { headers, pollInterval: pollSeconds * 1_000 });
  } catch (error) {
    throw new ConfigurationFault([`supergraph.source ${(error as Error).message}`]);
  }
}

async function readSupergraph(location: SupergraphLocation): Promise<string> {
  try {
    const text = await location.read();
    subgraphsOf(text);
    return text;
  } catch (error) {
    throw new ConfigurationFault([`supergraph.source: ${location.name} ${(error as Error).message}`]);
  }
}

async function manifestIn(file: string): Promise<Manifest> {
  try {
    return readManifest(await readFile(file, 'utf8'));
  } catch (error) {
    throw new ConfigurationFault([`documents.manifests: ${file}: ${(error as Error).message}`]);
  }
}

async function tlsOf(files: Configuration['server']['tls']) {
  if (!files) return {};
  try {
    const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)]);
    return { https: { cert, key } };
  } catch (error) {
    throw new ConfigurationFault([`server.tls: ${(error as Error).message}`]);
  }
}

async function serveMetrics(registry: Registry, { host, port }: NonNullable<Configuration['metrics']>) {
  collectDefaultMetrics({ register: registry });
  const app = fastify();
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  const address = await app.listen({ host, port });
  return { url: `${address}/metrics`, close: () => app.close() };
}

interface CountingOptions {
  /** Address of the registry. */
  database: string;
  gateway: { readonly schema: GraphQLSchema };
  log: FastifyBaseLogger;
}

const HOUR = 3_600_000;

/** Keep the counts of a gateway in its registry. Returns a function that stores the last counts and stops. */
async function countUsage(collector: UsageCollector, { database, gateway, log }: CountingOptions): Promise<() => Promise<void>> {
  const registry = await openRegistry(database, { connections: 2 });
  let creating: Promise<void> | undefined;
  // The database may be away when the server starts.
  const createTables = () => {
    creating ??= registry.createTables().catch((error: unknown) => {
      creating = undefined;
      throw error;
    });
    return creating;
  };
  const stop = storeUsage(collector, {
    gateway,
    store: {
      async recordUsage(batch) {
        await createTables();
        return recordUsage(registry, batch);
      },
      async recordSchema(schema) {
        await createTables();
        await recordSchema(registry, schema);
      },
    },
    onFailure: (err) => log.warn({ registry: registry.name, err }, 'Failed to store the counts of operations; trying again'),
  });
  const timer = setInterval(() => {
    deleteOldUsage(registry).catch((err) => log.warn({ registry: registry.name, err }, 'Failed to delete old counts'));
  }, HOUR).unref();
  return async () => {
    clearInterval(timer);
    await stop();
    await registry.close();
  };
}
