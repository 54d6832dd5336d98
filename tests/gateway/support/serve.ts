import { createServer } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { execute, parse } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { listen } from '../../support/listen.ts';

export interface Seen {
  headers: Record<string, unknown>;
  connectionParams?: unknown;
}

export interface ServeOptions {
  /** Response to every request. */
  answer?: { status: number; body: string; after?: number };
  /** The secret that a socket has to send. */
  secret?: string;
  /** Accepts or rejects connection parameters, instead of the secret check. */
  admits?: (connectionParams: Record<string, unknown>) => boolean;
}

/** A subgraph in a separate server, with GraphQL over HTTP and WebSocket. */
export async function serve(
  schema: GraphQLSchema,
  { answer, secret, admits = (params) => params.secret === secret }: ServeOptions = {},
) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    seen.push({ headers: request.headers });
    if (answer) {
      setTimeout(
        () => response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body),
        answer.after ?? 0,
      ).unref();
      return;
    }
    const { query, variables } = JSON.parse(text);
    response.end(JSON.stringify(await execute({ schema, document: parse(query), variableValues: variables })));
  });
  const sockets = new WebSocketServer({ server });
  useServer(
    {
      schema,
      onConnect: ({ connectionParams }) => admits(connectionParams ?? {}),
      onSubscribe: ({ connectionParams }, _id, { extensions }) =>
        void seen.push({ headers: extensions?.headers as never, connectionParams }),
    },
    sockets,
  );
  const port = await listen(server);
  const drop = () => {
    for (const client of sockets.clients) client.terminate();
  };
  /** Stop reading from open sockets. */
  const pause = () => {
    for (const client of sockets.clients) client.pause();
  };
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    seen,
    /** Destroy every socket. */
    drop,
    pause,
    close() {
      drop();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
