import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { fail } from '../schema/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route accepts plain HTTP, because it carries no data of callers or serves only processes of the product. */
    plainHttp?: boolean;
  }
}

const message = 'HTTPS is required: plain HTTP is accepted on a loopback address only';

/** Create a hook that refuses plain HTTP. It checks the protocol that a trusted proxy forwards, otherwise the connection. */
export const httpsOnly =
  (trustProxy: boolean) => (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
    const forwarded = trustProxy && request.headers['x-forwarded-proto'] !== undefined;
    if (!forwarded && isLocal(request.raw.socket)) return done();
    if (request.protocol === 'https' || request.routeOptions.config.plainHttp) return done();
    done(fail('FORBIDDEN', message));
  };

const localSockets = new WeakMap<Socket, boolean>();

/** Cached per connection, because its peer does not change. */
function isLocal(socket: Socket): boolean {
  const local = localSockets.get(socket) ?? isLoopback(socket.remoteAddress);
  localSockets.set(socket, local);
  return local;
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
