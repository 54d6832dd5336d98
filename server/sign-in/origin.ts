import type { FastifyRequest } from 'fastify';

/** The origins at which browsers open the dashboard. */
export interface OwnOrigin {
  /** Whether a page of the dashboard sent the request. Browsers send `Origin` with every POST and WebSocket handshake. */
  sent(request: FastifyRequest): boolean;
  /** Whether a request comes from a page of another site. Requests of programs do not. */
  isForeign(request: FastifyRequest): boolean;
  /** Whether cookies of this request are limited to HTTPS. */
  isSecure(request: FastifyRequest): boolean;
  /** The base URL of the dashboard. */
  urlOf(request: FastifyRequest): string;
}

/**
 * @param urls public URLs of the dashboard, the preferred one first. Without any, its origin is the host of each request: browsers do not
 * send the cookies of one host to another.
 */
export function ownOrigin(urls: readonly string[]): OwnOrigin {
  // Browsers send `null` as the origin of sandboxed pages.
  const configured = [...new Set(urls.map((url) => new URL(url).origin))].filter((origin) => origin !== 'null');
  const originOf = ({ protocol, host }: FastifyRequest) => `${protocol}://${host.toLowerCase()}`;
  const isOwn = (origin: string, request: FastifyRequest) =>
    configured.length > 0 ? configured.includes(origin) : origin === originOf(request);

  return {
    sent(request) {
      const { origin, upgrade, 'sec-fetch-site': site } = request.headers;
      if (origin !== undefined) return isOwn(origin, request);
      const isRead = (request.method === 'GET' || request.method === 'HEAD') && upgrade === undefined;
      return isRead && (site === 'same-origin' || site === 'none');
    },
    isForeign(request) {
      const { origin, 'sec-fetch-site': site } = request.headers;
      if (origin !== undefined) return !isOwn(origin, request);
      return site !== undefined && site !== 'same-origin' && site !== 'none';
    },
    isSecure: (request) => request.protocol === 'https' || configured.some((origin) => origin.startsWith('https:')),
    urlOf: (request) => configured.find((origin) => origin === originOf(request)) ?? configured[0] ?? originOf(request),
  };
}
