import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { forbidInTransaction } from '../transactions.ts';
import { isPublic } from './addresses.ts';
import { type Lookup, systemLookup } from './names.ts';
import { bareHost, isListed, notPublic, readUrl, type UrlRules } from './url.ts';

/** One address that is not public spoils the name: which of them is dialled is not ours to say. */
async function publicAddresses(hostname: string, lookup: Lookup): Promise<LookupAddress[]> {
  const addresses = await lookup(hostname, false);
  if (!addresses.every(({ address }) => isPublic(address))) throw notPublic();
  return addresses;
}

/**
 * Refuses what may not be asked for, without asking: for the moment a user enters an address. A name that does not resolve
 * (yet) passes, because every later request checks again.
 */
export async function checkUrl(text: string, rules: UrlRules & { lookup?: Lookup } = {}): Promise<URL> {
  const { lookup = systemLookup } = rules;
  forbidInTransaction('The resolver of names');
  const { url, trusted } = readUrl(text, rules);
  if (trusted || isIP(bareHost(url.hostname))) return url;

  const patience = new AbortController();
  const none: LookupAddress[] = [];
  const silence = wait(2_000, none, { signal: patience.signal }).catch(() => none);
  const addresses = await Promise.race([lookup(url.hostname, false).catch(() => none), silence]);
  patience.abort();
  if (!addresses.every(({ address }) => isPublic(address))) throw notPublic();
  return url;
}

const answer =
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
  /** Opens the socket; replaced only to prove that the check on the connected socket holds by itself. */
  open?: (options: buildConnector.BuildOptions) => buildConnector.connector;
}

/**
 * A connector that dials checked addresses only. The check sits in the socket's own lookup, so the name is resolved once and
 * what was checked is what is dialled; a literal, which is never looked up, is caught on the way in.
 */
export function guardedConnector({ lookup, allowHosts, open = buildConnector }: Guard): buildConnector.connector {
  // Stated, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
  const verified = { rejectUnauthorized: true };
  const toTrusted = open({ ...verified, lookup: answer((hostname) => lookup(hostname, true)) });
  const toPublic = open({ ...verified, lookup: answer((hostname) => publicAddresses(hostname, lookup)) });

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
