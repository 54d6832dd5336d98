import type { Stop } from '../../platform/queues/background.ts';
import { graphqlEndpoint, settingsOf } from '../../server/graphql/graphql-endpoint.ts';
import { createLogger } from '../../server/logging.ts';
import { createServer, watchOverload } from '../../server/server.ts';
import { SERVER_CLOSE_MS } from '../process/run.ts';
import { startTelemetry } from '../telemetry/start.ts';
import type { GatewayConfiguration } from './configuration.ts';
import { linkOf, openGateway } from './open-gateway.ts';
import { externalChecks, followUpdates, type InitialSupergraph } from './supergraph.ts';

type Starting = Pick<GatewayConfiguration, 'config' | 'manifests' | 'tls' | 'telemetry'> & { supergraph: InitialSupergraph };

/** A gateway for a supergraph of external subgraphs. It serves only `/graphql`, without database and admission. */
export async function startFederation(
  { config, manifests, tls, supergraph, ...configuration }: Starting,
  leaving = new AbortController().signal,
) {
  const logger = createLogger(config.LOG_LEVEL);
  const telemetry = await startTelemetry('gateway', configuration.telemetry);
  const link = linkOf(config, telemetry);
  const opened = await openGateway({ config, supergraph, link, logger, observer: telemetry.observer });
  const { gateway } = opened;
  const checks = externalChecks(opened.supergraph, config);
  const overload = watchOverload(config.MAX_EVENT_LOOP_DELAY);
  const server = createServer({
    logger,
    overload,
    tls,
    checks: checks.current,
    leaving,
    trustProxy: config.TRUST_PROXY,
    allowHttp: config.ALLOW_HTTP,
  });
  const settings = settingsOf(config, manifests);
  server.register((app) => graphqlEndpoint(app, { gateway, ...settings }));
  const url = await server.listen({ host: config.HOST, port: config.PORT });
  const stopFollowing = followUpdates(gateway, supergraph.location, { logger, telemetry, onReplaced: checks.replace });
  return {
    addresses: { url },
    async close(stop: Stop) {
      overload.stop();
      await Promise.all([stop('supergraph', stopFollowing), stop('requests', () => server.close(), SERVER_CLOSE_MS)]);
      await Promise.all([stop('subgraphs', () => gateway.close()), stop('telemetry', telemetry.close)]);
    },
  };
}
