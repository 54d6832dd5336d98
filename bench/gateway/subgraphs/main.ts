import { type AddressInfo, createServer, type Server } from 'node:net';
import { type GraphQLSchema, parse } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { runProcess } from '../../../start/process/run.ts';
import { Message } from '../message.ts';
import { subgraphs } from './subgraphs.ts';

/** Serves the four subgraphs, each at a separate URL. */
await runProcess('bench subgraphs', async () => {
  const servers = await Promise.all(subgraphs.map(async ({ name, schema }) => ({ name, server: await serve(schema) })));
  const port = (server: Server) => (server.address() as AddressInfo).port;
  return {
    addresses: Object.fromEntries(servers.map(({ name, server }) => [name, `http://127.0.0.1:${port(server)}/graphql`])),
    async close() {
      for (const { server } of servers) server.close();
    },
  };
});

/** Cache responses, because the data never changes and the benchmark measures the gateway. */
async function serve(schema: GraphQLSchema): Promise<Server> {
  const known = new Map<string, Promise<Buffer>>();
  const server = createServer({ noDelay: true }, (socket) => {
    let request = new Message();
    socket.on('data', async (part) => {
      if (!request.add(part)) return;
      const body = request.body.toString();
      request = new Message();
      const answer = known.get(body) ?? answerTo(schema, body);
      known.set(body, answer);
      socket.write(await answer);
    });
    // A gateway that exits may reset its connections.
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function answerTo(schema: GraphQLSchema, body: string): Promise<Buffer> {
  const { query, variables, operationName } = JSON.parse(body);
  const compiled = compileQuery(schema, parse(query), operationName ?? undefined);
  const result = isCompiledQuery(compiled) ? await (compiled as CompiledQuery).query(undefined, {}, variables ?? {}) : compiled;
  const text = JSON.stringify(result);
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
