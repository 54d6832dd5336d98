import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Reply = (received: Received, response: ServerResponse) => void;

/** A receiver of tool calls that records them and returns what it received by default. */
export async function startToolReceiver() {
  const received: Received[] = [];
  const echo: Reply = (call, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...call, items: [{ n: 1 }, { n: 2 }] }));
  let reply = echo;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const call = { method: request.method!, url: request.url!, headers: request.headers, body };
    received.push(call);
    reply(call, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    last: () => received.at(-1)!,
    /** Replace the reply; without an argument it echoes again. */
    replyWith(next: Reply = echo) {
      reply = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
