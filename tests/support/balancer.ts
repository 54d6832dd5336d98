import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

const INTERVAL = 100;

/** A TCP balancer that sends every connection to the first process whose `/readyz` succeeds. */
export async function startBalancer(urls: readonly string[]) {
  const ready = new Set(urls);
  const sockets = new Set<Socket>();
  const check = async (url: string) => {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.status === 200) ready.add(url);
    else ready.delete(url);
  };
  const timer = setInterval(() => urls.forEach(check), INTERVAL);
  const server = createServer((incoming) => {
    const url = urls.find((each) => ready.has(each));
    if (!url) return void incoming.destroy();
    const { hostname, port } = new URL(url);
    const outgoing = connect(Number(port), hostname);
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => other.destroy())
        .once('close', () => {
          sockets.delete(socket);
          other.end();
        });
      socket.pipe(other);
    }
  });
  const ownPort = await listen(server);
  return {
    url: `http://127.0.0.1:${ownPort}`,
    async close() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
