import type { readConfig } from '../gateway/config.ts';
import { graphqlEndpoint } from '../gateway/http/endpoint.ts';
import { createLogger } from '../gateway/http/logging.ts';
import { createServer } from '../gateway/http/server.ts';
import { readSettings } from '../gateway/http/settings.ts';
import { readTls } from '../gateway/http/tls.ts';
import { createLiveGateway } from '../gateway/live/live.ts';
import { InFlight } from '../gateway/source-sharing.ts';
import { subgraphsOf } from '../gateway/supergraph/subgraphs.ts';
import { openingsOfOthers, verbatimOf } from './subgraph-sources.ts';
import { keepCurrent, type StartingSupergraph, served } from './supergraph.ts';
import { startTelemetry } from './telemetry.ts';

type Config = ReturnType<typeof readConfig>;

/** A gateway over a supergraph of other people's subgraphs: `/graphql` and nothing else, no database, no admission. */
export async function startFederation(config: Config, supergraph: StartingSupergraph) {
  const logger = createLogger(config.LOG_LEVEL);
  const telemetry = await startTelemetry('gateway');
  const inFlight = config.SHARE_REQUESTS ? new InFlight() : undefined;
  const how = { inFlight, trace: telemetry.headers };
  const gateway = served(supergraph, () =>
    createLiveGateway({
      supergraph: supergraph.text,
      openings: (sdl) => openingsOfOthers(subgraphsOf(sdl), config, how),
      verbatim: verbatimOf(new Set(), config),
      inFlight,
      onFault: (subgraph, err) => logger.error({ subgraph, err }, 'a subgraph failed'),
      observer: telemetry.observer,
      grace: config.OPERATION_TIMEOUT * 1_000,
    }),
  );
  const server = createServer({
    logger,
    tls: await readTls(config),
    trustProxy: config.TRUST_PROXY,
    allowHttp: config.ALLOW_HTTP,
  });
  const settings = await readSettings(config);
  server.register((app) => graphqlEndpoint(app, { gateway, ...settings }));
  const url = await server.listen({ host: config.HOST, port: config.PORT });
  const stopFollowing = keepCurrent(gateway, supergraph.location, logger, telemetry);
  return {
    addresses: { url },
    async close() {
      await stopFollowing();
      await server.close();
      await gateway.close();
      await telemetry.close();
    },
  };
}
