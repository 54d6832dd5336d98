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
export const httpsOnly = (trustProxy: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
  if (request.protocol === 'https' || request.routeOptions.config.plainHttp) return;
  const forwarded = trustProxy && request.headers['x-forwarded-proto'] !== undefined;
  if (!forwarded && isLoopback(request.raw.socket.remoteAddress)) return;
  return reply.code(403).send({ success: false, message: sentence });
};

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
