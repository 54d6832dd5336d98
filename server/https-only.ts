import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered by plain HTTP as well: carries neither credentials nor data. */
    plainHttp?: boolean;
  }
}

const sentence = 'HTTPS is required: plain HTTP is accepted on a loopback address only';

/** A hook that refuses plain HTTP. Behind a trusted proxy the protocol it forwards decides, else the connection itself. */
export const httpsOnly = (trustProxy: boolean) => (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
  const forwarded = trustProxy && request.headers['x-forwarded-proto'] !== undefined;
  if (!forwarded && isLocal(request.raw.socket)) return done();
  if (request.protocol === 'https' || request.routeOptions.config.plainHttp) return done();
  reply.code(403).send({ success: false, message: sentence });
};

const known = new WeakMap<Socket, boolean>();

/** A connection does not change its ends, so they are looked at once. */
function isLocal(socket: Socket): boolean {
  const local = known.get(socket) ?? isLoopback(socket.remoteAddress);
  known.set(socket, local);
  return local;
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
