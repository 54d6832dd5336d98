import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { forbidInTransaction } from '../database/index.ts';
import { isPublic } from './addresses.ts';
import { type Lookup, systemLookup } from './dns.ts';
import { bareHost, isListed, notPublic, readUrl, type UrlRules } from './url.ts';

/** Reject a name if any of its addresses is private, because the socket may connect to any of them. */
async function publicAddresses(hostname: string, lookup: Lookup): Promise<LookupAddress[]> {
  const addresses = await lookup(hostname, false);
  if (!addresses.every(({ address }) => isPublic(address))) throw notPublic();
  return addresses;
}

/**
 * Validate a URL when a user enters it, without a request. A name that does not resolve passes, because every later request checks the
 * address again.
 */
export async function checkUrl(text: string, rules: UrlRules & { lookup?: Lookup } = {}): Promise<URL> {
  const { lookup = systemLookup } = rules;
  forbidInTransaction('The resolver of names');
  const { url, trusted } = readUrl(text, rules);
  if (trusted || isIP(bareHost(url.hostname))) return url;

  const timer = new AbortController();
  const none: LookupAddress[] = [];
  const timedOut = wait(2_000, none, { signal: timer.signal }).catch(() => none);
  const addresses = await Promise.race([lookup(url.hostname, false).catch(() => none), timedOut]);
  timer.abort();
  if (!addresses.every(({ address }) => isPublic(address))) throw notPublic();
  return url;
}

const callbackLookup =
  (lookup: (hostname: string) => Promise<LookupAddress[]>): LookupFunction =>
  (hostname, { all }, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
        return all ? callback(null, addresses) : callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };

interface Guard {
  lookup: Lookup;
  allowHosts: readonly string[];
  /** Opens the socket. Tests replace it to prove that the check of the connected socket works on its own. */
  open?: (options: buildConnector.BuildOptions) => buildConnector.connector;
}

/**
 * A connector that only connects to public addresses. It checks them in the lookup of the socket, so the name is resolved once and the
 * socket uses the checked addresses. IP literals skip the lookup, so it checks them before.
 */
export function guardedConnector({ lookup, allowHosts, open = buildConnector }: Guard): buildConnector.connector {
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
  const verified = { rejectUnauthorized: true };
  const toTrusted = open({ ...verified, lookup: callbackLookup((hostname) => lookup(hostname, true)) });
  const toPublic = open({ ...verified, lookup: callbackLookup((hostname) => publicAddresses(hostname, lookup)) });

  return (options, callback) => {
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    if (isListed(url, allowHosts)) return toTrusted(options, callback);
    const host = bareHost(url.hostname);
    if (isIP(host) && !isPublic(host)) return callback(notPublic(), null);

    toPublic(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (socket?.remoteAddress && isPublic(socket.remoteAddress)) return callback(null, socket);
      socket?.destroy();
      return callback(notPublic(), null);
    });
  };
}
