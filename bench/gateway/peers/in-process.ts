import { readFile } from 'node:fs/promises';
import { createGateway } from '../../../gateway/compiled-gateway.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { inProcess } from '../../../platform/subgraph/build-subgraph.ts';
import { graphqlEndpoint } from '../../../server/graphql/graphql-endpoint.ts';
import { createLogger } from '../../../server/logging.ts';
import { createServer } from '../../../server/server.ts';
import { runProcess } from '../../../start/process/run.ts';
import { subgraphs } from '../subgraphs/subgraphs.ts';

const [file = '', port = '0'] = process.argv.slice(2);

/** The product's gateway with in-process subgraphs. */
await runProcess('ours', async () => {
  const scope = async () => ({ selected: { id: 'bench' } }) as RequestScope;
  const sources = subgraphs.map(({ name, schema }) => [name, inProcess({ schema }, scope)]);
  const gateway = createGateway({ supergraph: await readFile(file, 'utf8'), sources: Object.fromEntries(sources) });
  const server = createServer({ logger: createLogger('warn') });
  server.register((app) => graphqlEndpoint(app, { gateway }));
  const url = await server.listen({ host: '127.0.0.1', port: Number(port) });
  return {
    addresses: { url },
    async close() {
      await server.close();
      await gateway.close();
    },
  };
});
