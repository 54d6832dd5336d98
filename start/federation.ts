import { createGateway } from '../gateway/gateway.ts';
import { InFlight } from '../gateway/source-sharing.ts';
import { subgraphsOf } from '../gateway/supergraph.ts';
import type { readConfig } from '../server/config.ts';
import { graphqlEndpoint } from '../server/graphql/endpoint.ts';
import { readSettings } from '../server/graphql/settings.ts';
import { createLogger } from '../server/logging.ts';
import { createServer } from '../server/server.ts';
import { readTls } from '../server/tls.ts';
import { sourcesOfOthers } from './subgraph-sources.ts';
import { startTelemetry } from './telemetry.ts';

type Config = ReturnType<typeof readConfig>;

/** A gateway over a supergraph of other people's subgraphs: `/graphql` and nothing else, no database, no admission. */
export async function startFederation(config: Config, supergraph: string) {
  const logger = createLogger(config.LOG_LEVEL);
  const telemetry = await startTelemetry('gateway');
  const inFlight = config.SHARE_REQUESTS ? new InFlight() : undefined;
  const gateway = createGateway({
    supergraph,
    sources: sourcesOfOthers(subgraphsOf(supergraph), config, { inFlight, trace: telemetry.headers }),
    inFlight,
    onFault: (subgraph, err) => logger.error({ subgraph, err }, 'a subgraph failed'),
    observer: telemetry.observer,
  });
  const server = createServer({
    logger,
    tls: await readTls(config),
    trustProxy: config.TRUST_PROXY,
    allowHttp: config.ALLOW_HTTP,
  });
  const settings = await readSettings(config);
  server.register((app) => graphqlEndpoint(app, { gateway, ...settings }));
  const url = await server.listen({ host: config.HOST, port: config.PORT });
  return {
    addresses: { url },
    async close() {
      await server.close();
      await gateway.close();
      await telemetry.close();
    },
  };
}
