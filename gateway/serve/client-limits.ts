import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { headersOf } from './graphql-route.ts';
import type { Identify } from './identified-caller.ts';
import { refusal } from './operations.ts';
import type { Configuration } from './server-configuration.ts';
import { claimAt } from './token-verification.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, if it had to be identified before the operation. */
    identified?: ReturnType<Identify>;
  }
}

type Identified = Awaited<ReturnType<Identify>>;

/**
 * Count requests by client, before their bodies are read. Returns a function that counts an operation over WebSocket of an identified caller,
 * with the same counter; it throws `RATE_LIMITED`.
 */
export async function limitClients(
  app: FastifyInstance,
  { rateLimit: limit }: Configuration,
  identify: Identify,
): Promise<(identified: Identified) => Promise<void>> {
  if (!limit) return async () => {};
  const { requests, seconds, header, claim } = limit;
  const keyOf = ({ headers, caller }: Pick<Identified, 'headers'> & { caller: { address: string; claims?: object } }): string => {
    const given = header && headers[header];
    if (given) return `header ${given}`;
    const value = claim && caller.claims && claimAt({ ...caller.claims }, claim);
    // All tokens without a subject would share one count.
    return value === undefined || value === null || value === ''
      ? `network ${networkOf(caller.address)}`
      : `claim ${JSON.stringify(value)}`;
  };
  const keyOfRequest = async (request: FastifyRequest): Promise<string> => {
    const headers = headersOf(request);
    const anybody = { headers, caller: { address: request.ip } };
    if (!claim) return keyOf(anybody);
    // An invalid token counts for the address, and is refused afterwards.
    request.identified ??= identify(headers, request.ip);
    return keyOf((await request.identified.catch(() => undefined)) ?? anybody);
  };
  await app.register(rateLimit, {
    max: requests,
    timeWindow: seconds * 1_000,
    cache: 50_000,
    keyGenerator: keyOfRequest,
    errorResponseBuilder: (_request, { ttl }) => Object.assign(new Error(tooMany(ttl)), { statusCode: 429 }),
  });
  const count = app.createRateLimit();
  let counting: Promise<unknown> = Promise.resolve();
  return async (identified) => {
    const { headers, caller } = identified;
    // The counter reads nothing else of a request.
    const request = { headers, ip: caller.address, identified: Promise.resolve(identified), routeOptions: {} };
    // One after the other: it would give all messages of one packet the same, last number.
    const counted = counting.then(() => count(request as unknown as FastifyRequest));
    counting = counted.catch(() => {});
    const result = await counted;
    if (!result.isAllowed && result.isExceeded) throw refusal('RATE_LIMITED', tooMany(result.ttl));
  };
}

const tooMany = (ttl: number): string => `Too many requests. Try again in ${Math.ceil(ttl / 1_000)} seconds.`;

/** The network of an address: of IPv6 the first 64 bits, because a caller has all addresses below them. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.split('::');
  if (!address.includes(':') || address.includes('.')) return address;
  const groups = head === '' ? [] : head.split(':');
  const rest = tail ? tail.split(':') : [];
  const all = tail === undefined ? groups : [...groups, ...Array(8 - groups.length - rest.length).fill('0'), ...rest];
  return all.slice(0, 4).join(':');
}
