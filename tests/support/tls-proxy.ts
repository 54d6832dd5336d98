import { connect, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { valid } from '../outbound/authority.ts';
import { listen } from './listen.ts';

/** The code of a request for TLS in the protocol of PostgreSQL. */
const TLS_REQUEST = 80_877_103;

/**
 * A proxy on 127.0.0.1 that accepts only TLS, with a certificate of the test authority, in front of a server without TLS. Clients of
 * PostgreSQL request TLS in their protocol first; others begin with it.
 */
export async function startTlsProxy({ hostname, port }: Pick<URL, 'hostname' | 'port'>, protocol: 'postgres' | 'grpc') {
  const sockets = new Set<Socket>();
  const secureContext = createSecureContext(valid);
  const accept = (plain: Socket) => {
    const secure = new TLSSocket(plain, { isServer: true, secureContext, ALPNProtocols: protocol === 'grpc' ? ['h2'] : undefined });
    const outgoing = connect(Number(port), hostname);
    for (const socket of [secure, outgoing])
      socket
        .on('error', () => {})
        .once('close', () => {
          secure.destroy();
          outgoing.destroy();
        });
    secure.pipe(outgoing).pipe(secure);
  };
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)));
    if (protocol === 'grpc') return accept(socket);
    socket.once('data', (data) => {
      if (data.length !== 8 || data.readInt32BE(4) !== TLS_REQUEST) return socket.destroy();
      socket.write('S');
      accept(socket);
    });
  });
  const ownPort = await listen(server);
  return {
    port: ownPort,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
