import { createLiveGateway, InFlight } from 'compiled-gateway';
import { graphqlEndpoint } from '../../server/graphql/endpoint.ts';
import { settingsOf } from '../../server/graphql/settings.ts';
import { createLogger } from '../../server/logging.ts';
import { watchOverload } from '../../server/overload.ts';
import { createServer } from '../../server/server.ts';
import { startTelemetry } from '../telemetry/start.ts';
import type { GatewayConfiguration } from './configuration.ts';
import { linkTimeout } from './link-timeout.ts';
import { externalChecks, externalSources, unmaskedSubgraphs } from './subgraph-sources.ts';
import { createGateway, followUpdates, type InitialSupergraph } from './supergraph.ts';

type Starting = Pick<GatewayConfiguration, 'config' | 'manifests' | 'tls' | 'telemetry'> & { supergraph: InitialSupergraph };

/** A gateway for a supergraph of external subgraphs. It serves only `/graphql`, without database and admission. */
export async function startFederation(
  { config, manifests, tls, supergraph, ...configuration }: Starting,
  leaving = new AbortController().signal,
) {
  const logger = createLogger(config.LOG_LEVEL);
  const telemetry = await startTelemetry('gateway', configuration.telemetry);
  const inFlight = config.SHARE_REQUESTS ? new InFlight() : undefined;
  const how = { inFlight, trace: telemetry.headers, timeoutMs: linkTimeout(config.OPERATION_TIMEOUT) };
  const checks = externalChecks(supergraph.text, config);
  const gateway = createGateway(supergraph, () =>
    createLiveGateway({
      supergraph: supergraph.text,
      openings: (sdl) => externalSources(sdl, config, how),
      verbatim: unmaskedSubgraphs(config),
      inFlight,
      onFault: (subgraph, err) => logger.error({ subgraph, err }, 'a subgraph failed'),
      observer: telemetry.observer,
      grace: config.OPERATION_TIMEOUT * 1_000,
    }),
  );
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
    async close() {
      await stopFollowing();
      overload.stop();
      await server.close();
      await gateway.close();
      await telemetry.close();
    },
  };
}
