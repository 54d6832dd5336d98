import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

/** A TCP forwarder with which a test can disconnect a single process from a server. */
export async function startForwarder(host: string, port: number) {
  const sockets = new Set<Socket>();
  let lost: string | undefined;
  let awaited: { text: string; resolve(): void } | undefined;
  let isFrozen = false;
  const server = createServer((incoming) => {
    const outgoing = connect(port, host);
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(socket);
          incoming.destroy();
          outgoing.destroy();
        });
    }
    if (isFrozen) return;
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('data', (data: Buffer) => {
      if (awaited && data.includes(awaited.text)) {
        const { resolve } = awaited;
        awaited = undefined;
        outgoing.once('data', () => setImmediate(resolve));
      }
      if (!lost || !data.includes(lost)) return;
      lost = undefined;
      outgoing
        .unpipe()
        .once('data', () => incoming.destroy())
        .resume();
    });
  });
  const own = await listen(server);
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  /** Lose all data of the open connections without closing them, like a firewall that dropped its state. New connections work. */
  const lose = () => {
    for (const socket of sockets) socket.unpipe().resume();
  };
  /** Forward nothing any more, like a server that hangs. New connections open and get no answer. */
  const freeze = () => {
    isFrozen = true;
    for (const socket of sockets) socket.unpipe().pause();
  };
  /** Freeze when the server has answered the next data that contain the text. */
  const freezeAfter = async (text: string) => {
    await new Promise<void>((resolve) => {
      awaited = { text, resolve };
    });
    freeze();
  };
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const close = () => {
    for (const socket of sockets) socket.destroy();
  };
  /** Disconnect the client when the server answers the next data that contain the text. */
  const loseAnswerTo = (text: string) => {
    lost = text;
  };
  return { port: own, loseAnswerTo, cut, lose, freeze, freezeAfter, reset, close, restore: () => listen(server, own) };
}
