import type { FastifyRequest } from 'fastify';

/** The origin of the page that sent a request. Browsers omit `Origin` when a page reads its own origin, and say so in another header. */
export function pageOrigin({ method, headers, protocol, host }: FastifyRequest): string | undefined {
  if (headers.origin !== undefined) return headers.origin;
  const isOwnRead = (method === 'GET' || method === 'HEAD') && headers['sec-fetch-site'] === 'same-origin';
  return isOwnRead ? `${protocol}://${host.toLowerCase()}` : undefined;
}
