import { ConfigurationError } from '../schema/environment.ts';
import { readServerConfig } from '../subgraphs/common/config.ts';
import { fileStore } from '../subgraphs/common/files/store.ts';
import { scopeFactory } from '../subgraphs/common/scope.ts';
import { createSubgraphServer } from '../subgraphs/common/server.ts';
import { buildSubgraph } from '../subgraphs/common/subgraph.ts';
import { subgraphs } from './graph.ts';
import { need, runProcess } from './process.ts';
import { openServingServices } from './services.ts';
import { startTelemetry } from './telemetry.ts';

type Config = ReturnType<typeof readServerConfig>;

/** One subgraph in a process of its own. */
export async function startSubgraph(name: string | undefined, config: Config = readServerConfig()) {
  const { HOST, PORT, SUBGRAPH_SECRET, ANSWER_LIMIT } = config;
  const found = subgraphs.find(({ parts }) => parts.name === name);
  if (!found)
    throw new ConfigurationError([`name one of ${subgraphs.map(({ parts }) => parts.name).join(', ')}: start:subgraph -- catalog`]);
  const secret = need('SUBGRAPH_SECRET', SUBGRAPH_SECRET);
  const telemetry = await startTelemetry(found.parts.name);
  const services = await openServingServices();
  const scopeOf = scopeFactory(services);
  const server = await createSubgraphServer({
    subgraph: await buildSubgraph(found.parts),
    scopeOf,
    secret,
    answerLimit: ANSWER_LIMIT,
    ...(name === 'catalog' && { files: fileStore(scopeOf) }),
    ready: () => services.pool.query('select 1'),
  });
  const url = await server.listen({ host: HOST, port: PORT });
  return {
    url,
    async close() {
      await server.close();
      await services.close();
      await telemetry.close();
    },
  };
}

if (import.meta.main) {
  await runProcess(`subgraph ${process.argv[2] ?? ''}`, async () => {
    const { url, close } = await startSubgraph(process.argv[2]);
    return { addresses: { url }, close };
  });
}
