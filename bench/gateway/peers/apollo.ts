import { readFile } from 'node:fs/promises';
import { ApolloGateway } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { runProcess } from '../../../start/process/run.ts';

const [file = '', port = '0'] = process.argv.slice(2);

/** Apollo's gateway with the setup from its documentation. */
await runProcess('apollo', async () => {
  const gateway = new ApolloGateway({ supergraphSdl: await readFile(file, 'utf8') });
  const server = new ApolloServer({ gateway, stopOnTerminationSignals: false });
  const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: Number(port) } });
  return { addresses: { url }, close: () => server.stop() };
});
