import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { headerLines } from '../../../gateway/sources/http1/http-connection.ts';
import { HttpPool } from '../../../gateway/sources/http1/http-pool.ts';
import { listen } from '../../support/listen.ts';

/** Closes the servers and the pools of a test file when the file ends. */
export const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** Handles each complete request. */
type Answer = (socket: Socket, body: string, at: number) => void;

/** A server that reads whole requests, and counts its connections. */
export async function serve(answer: Answer, createServer: (handle: (socket: Socket) => void) => Server = createTcpServer) {
  const sockets = new Set<Socket>();
  const heads: string[] = [];
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        const head = text.slice(0, end + 2);
        const next = end + 4 + Number(/\r\ncontent-length: (\d+)\r\n$/.exec(head)?.[1]);
        if (end === -1 || text.length < next) return;
        const body = text.slice(end + 4, next);
        text = text.slice(next);
        heads.push(head);
        answer(socket, Buffer.from(body, 'latin1').toString(), heads.length - 1);
      }
    });
  });
  const port = await listen(server);
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port, heads, sockets, connections: () => connections };
}

export function poolOf(port: number, options: Partial<ConstructorParameters<typeof HttpPool>[1]> = {}) {
  const pool = new HttpPool(new URL(`http://127.0.0.1:${port}`), { timeoutMs: 100_000, connections: 4, ...options });
  stack.defer(() => pool.close());
  return (body: string, signal?: AbortSignal, headers: Record<string, string> = {}) =>
    pool.request(`POST /graphql HTTP/1.1\r\nhost: x\r\n${headerLines(headers)}`, body, signal);
}

export const plain = (text: string, headers = '') =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
export const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
