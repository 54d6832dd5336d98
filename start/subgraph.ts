import { fileStore } from '../platform/files/file-store.ts';
import type { Stop } from '../platform/queues/background.ts';
import { scopeFactory } from '../platform/scope/index.ts';
import { buildSubgraph } from '../platform/subgraph/build-subgraph.ts';
import { createGraph } from '../platform/subgraph/services.ts';
import { createSubgraphServer } from '../platform/subgraph/subgraph-server.ts';
import { log } from '../platform/telemetry/index.ts';
import { ConfigurationError } from '../schema/environment.ts';
import { remoteGraph } from './gateway/agent-graph.ts';
import { readAll, readServerConfig, readServingConfig } from './process/config.ts';
import { runProcess, SERVER_CLOSE_MS } from './process/run.ts';
import { DRAIN_MS, openOwnServices } from './process-services.ts';
import { subgraphs } from './subgraphs.ts';
import { readTelemetryConfig, startTelemetry } from './telemetry/start.ts';

/** The process of one separate subgraph. */
async function startSubgraph(name: string | undefined, leaving: AbortSignal) {
  const configuration = await readAll({
    parts: () => partsOf(name),
    server: readServerConfig,
    services: readServingConfig,
    telemetry: readTelemetryConfig,
  });
  const { parts, server } = configuration;
  const telemetry = await startTelemetry(parts.name, configuration.telemetry);
  const services = await openOwnServices(configuration.services);
  telemetry.watchDatabase(services.pool);
  const graph = parts.name === 'agent' ? openGraph(server) : undefined;
  if (graph) services.graph = createGraph(services.secrets, graph.execute);
  const scopeOf = scopeFactory(services);
  const app = await createSubgraphServer({
    subgraph: await buildSubgraph(parts),
    scopeOf,
    secret: server.SUBGRAPH_SECRET,
    ...(name === 'catalog' && { files: fileStore(scopeOf) }),
    checks: { database: () => services.pool.query('select 1') },
    leaving,
  });
  const url = await app.listen({ host: server.HOST, port: server.PORT });
  return {
    addresses: { url },
    shutdownDelay: server.SHUTDOWN_DELAY,
    async close(stop: Stop) {
      await Promise.all([
        stop('requests', () => app.close(), SERVER_CLOSE_MS),
        stop('replies', () => services.background.drain(DRAIN_MS), SERVER_CLOSE_MS),
      ]);
      await Promise.all([services.close(stop), stop('graph', () => graph?.close()), stop('telemetry', telemetry.close)]);
    },
  };
}

/** The graph behind the gateway, with which agents read the catalog. */
function openGraph({ GATEWAY_URL, SUBGRAPH_SECRET }: ReturnType<typeof readServerConfig>) {
  if (GATEWAY_URL) return remoteGraph(GATEWAY_URL, SUBGRAPH_SECRET);
  log.warn('Agents cannot read the catalog without GATEWAY_URL');
  return undefined;
}

function partsOf(name: string | undefined) {
  const found = subgraphs.find(({ parts }) => parts.name === name);
  if (found) return found.parts;
  throw new ConfigurationError([`name one of ${subgraphs.map(({ parts }) => parts.name).join(', ')}: start:subgraph -- catalog`]);
}

if (import.meta.main) await runProcess(`subgraph ${process.argv[2] ?? ''}`, (leaving) => startSubgraph(process.argv[2], leaving));
