import { createGateway } from '../gateway/gateway.ts';
import { InFlight } from '../gateway/source-sharing.ts';
import { graphqlEndpoint } from '../server/graphql/endpoint.ts';
import { settingsOf } from '../server/graphql/settings.ts';
import { createLogger } from '../server/logging.ts';
import { createServer } from '../server/server.ts';
import type { GatewayConfiguration } from './gateway-configuration.ts';
import { sourcesOfOthers } from './subgraph-sources.ts';
import { startTelemetry } from './telemetry.ts';

/** A gateway over a supergraph of other people's subgraphs: `/graphql` and nothing else, no database, no admission. */
export async function startFederation(configuration: GatewayConfiguration, leaving: AbortSignal) {
  const { config, manifests, tls, others } = configuration;
  const logger = createLogger(config.LOG_LEVEL);
  const telemetry = await startTelemetry('gateway', configuration.telemetry);
  const inFlight = config.SHARE_REQUESTS ? new InFlight() : undefined;
  const { sources, checks } = sourcesOfOthers(others, config, { inFlight, trace: telemetry.headers });
  const gateway = createGateway({
    supergraph: configuration.supergraph.text,
    sources,
    inFlight,
    onFault: (subgraph, err) => logger.error({ subgraph, err }, 'a subgraph failed'),
    observer: telemetry.observer,
  });
  const server = createServer({
    logger,
    tls,
    checks,
    leaving,
    trustProxy: config.TRUST_PROXY,
    allowHttp: config.ALLOW_HTTP,
  });
  const settings = settingsOf(config, manifests);
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
