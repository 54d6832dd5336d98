import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep, setTimeout as wait } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { fail } from '../../schema/errors.ts';
import { forbidInTransaction } from '../database/index.ts';
import { Slots } from '../queues/index.ts';
import type { Scope } from '../scope/index.ts';
import { OutboundRefused } from './refusal.ts';

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

/**
 * Reject a URL of a user that no request may call. Each request repeats the check. Throws `INVALID_INPUT` with the name of the field.
 * @param schemes default: http and https
 */
export async function requireReachable(
  { services: { allowHosts } }: Pick<Scope, 'services'>,
  url: string,
  field = 'url',
  schemes?: readonly string[],
): Promise<void> {
  await checkUrl(url, { allowHosts, schemes }).catch((error: unknown) => {
    throw error instanceof OutboundRefused ? fail('INVALID_INPUT', `${field} is refused: ${error.message}`) : error;
  });
}

interface UrlRules {
  schemes?: readonly string[];
  /** Private hosts (`host` or `host:port`) that the operator allows. */
  allowHosts?: readonly string[];
}

/** A URL that passed all checks that need no name resolution. */
interface Target {
  url: URL;
  /** Whether the operator listed the host, which skips the check of its addresses. */
  trusted: boolean;
}

/**
 * Suffixes of names that exist only inside of networks, rejected without resolution. `example` is missing: it is reserved for documents, and
 * resolves nowhere.
 */
const innerSuffixes = [
  // The IANA registry of special-use domain names: RFC 6761, 6762, 7686, 8375, 9476. Nobody can register a name below arpa.
  ...['localhost', 'test', 'invalid', 'local', 'onion', 'alt', 'arpa'],
  // Reserved by ICANN for private use.
  'internal',
  // Common in private networks, and not delegated (RFC 6762, appendix G). ICANN has deferred corp, home and mail indefinitely.
  ...['intranet', 'private', 'corp', 'home', 'lan', 'mail', 'localdomain'],
  // Kubernetes and Consul. `cluster.local` is a name below local.
  ...['svc', 'consul'],
];

/** The first label of the names under which clouds serve the credentials of a machine, such as `metadata.amazonaws.com`. */
const METADATA = 'metadata.';

const notPublic = () => new OutboundRefused('address', 'The address is not on the public internet.');

/**
 * Parse a URL of a user. The host must have its canonical spelling: forms like `0x7f.1` or full-width digits exploit differences between
 * parsers.
 */
export function readUrl(text: string, { schemes = ['http', 'https'], allowHosts = [] }: UrlRules = {}): Target {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  const authority = /^[^:]*:\/\/([^/?#]*)/.exec(text)?.[1];
  if (scheme && !schemes.includes(scheme)) {
    throw new OutboundRefused('scheme', `The address must start with ${schemes.map((each) => `${each}://`).join(' or ')}.`);
  }
  if (authority?.includes('@')) throw new OutboundRefused('credentials', 'The address must not contain a user name or password.');
  if (!scheme || !authority || !URL.canParse(text)) throw new OutboundRefused('request', 'The address is not a valid URL.');

  const url = new URL(text);
  if (!isCanonicalHost(authority.replace(/:\d*$/, ''), url.hostname)) {
    throw new OutboundRefused('address', 'The host of the address must be written in its usual form.');
  }
  const trusted = isListed(url, allowHosts);
  if (!trusted) refuseInnerHost(url.hostname);
  return { url, trusted };
}

/** The host without the brackets of an IPv6 literal. */
const bareHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

function isCanonicalHost(written: string, hostname: string): boolean {
  if (hostname.endsWith('.')) return false;
  const lower = written.toLowerCase();
  if (lower === hostname) return true;
  // Otherwise accept only internationalized names whose characters do not normalize to ASCII.
  return hostname.includes('xn--') && /[^ -~]/.test(lower) && !lower.includes('%') && lower.normalize('NFKC') === lower;
}

/** Whether the operator listed the host, or the host with this port. */
function isListed(url: URL, allowHosts: readonly string[]): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return allowHosts
    .map((each) => (ipaddr.IPv6.isValid(each) ? `[${each}]` : each).toLowerCase())
    .some((each) => each === url.hostname || each === `${url.hostname}:${port}`);
}

function refuseInnerHost(hostname: string): void {
  const host = bareHost(hostname);
  if (isIP(host) ? !isPublic(host) : isInnerName(host)) throw notPublic();
}

const isInnerName = (host: string): boolean =>
  !host.includes('.') || host.startsWith(METADATA) || innerSuffixes.some((suffix) => host.endsWith(`.${suffix}`));

/**
 * The IANA IPv4 and IPv6 Special-Purpose Address Registries, entry by entry, and a few blocks of other registries. Nested entries are
 * included, so that the list can be compared with the registries.
 */
export const specialPurpose: readonly (readonly [block: string, name: string])[] = [
  ['0.0.0.0/8', '"This network"'],
  ['10.0.0.0/8', 'Private-Use'],
  ['100.64.0.0/10', 'Shared Address Space'],
  ['127.0.0.0/8', 'Loopback'],
  ['169.254.0.0/16', 'Link Local'],
  ['172.16.0.0/12', 'Private-Use'],
  ['192.0.0.0/24', 'IETF Protocol Assignments'],
  ['192.0.0.0/29', 'IPv4 Service Continuity Prefix'],
  ['192.0.0.8/32', 'IPv4 dummy address'],
  ['192.0.0.9/32', 'Port Control Protocol Anycast'],
  ['192.0.0.10/32', 'Traversal Using Relays around NAT Anycast'],
  ['192.0.0.170/32', 'NAT64/DNS64 Discovery'],
  ['192.0.0.171/32', 'NAT64/DNS64 Discovery'],
  ['192.0.2.0/24', 'Documentation (TEST-NET-1)'],
  ['192.31.196.0/24', 'AS112-v4'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)'],
  ['192.168.0.0/16', 'Private-Use'],
  ['192.175.48.0/24', 'Direct Delegation AS112 Service'],
  ['198.18.0.0/15', 'Benchmarking'],
  ['198.51.100.0/24', 'Documentation (TEST-NET-2)'],
  ['203.0.113.0/24', 'Documentation (TEST-NET-3)'],
  ['240.0.0.0/4', 'Reserved'],
  ['255.255.255.255/32', 'Limited Broadcast'],
  ['224.0.0.0/4', 'Multicast (IPv4 Multicast Address Space Registry)'],
  ['168.63.129.16/32', 'Not in a registry: the platform address inside every Azure network'],

  ['::1/128', 'Loopback Address'],
  ['::/128', 'Unspecified Address'],
  ['::/96', 'IPv4-compatible, deprecated (RFC 4291)'],
  ['::ffff:0:0/96', 'IPv4-mapped Address'],
  ['::ffff:0:0:0/96', 'IPv4-translated, deprecated (RFC 2765)'],
  ['64:ff9b::/96', 'IPv4-IPv6 Translation'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 Translation'],
  ['100::/64', 'Discard-Only Address Block'],
  ['100:0:0:1::/64', 'Dummy IPv6 Prefix'],
  ['2001::/23', 'IETF Protocol Assignments'],
  ['2001::/32', 'TEREDO'],
  ['2001:1::1/128', 'Port Control Protocol Anycast'],
  ['2001:1::2/128', 'Traversal Using Relays around NAT Anycast'],
  ['2001:1::3/128', 'DNS-SD Service Registration Protocol Anycast'],
  ['2001:2::/48', 'Benchmarking'],
  ['2001:3::/32', 'AMT'],
  ['2001:4:112::/48', 'AS112-v6'],
  ['2001:10::/28', 'Deprecated (previously ORCHID)'],
  ['2001:20::/28', 'ORCHIDv2'],
  ['2001:30::/28', 'Drone Remote ID Protocol Entity Tags (DETs) Prefix'],
  ['2001:db8::/32', 'Documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'Direct Delegation AS112 Service'],
  ['3fff::/20', 'Documentation'],
  ['5f00::/16', 'Segment Routing (SRv6) SIDs'],
  ['fc00::/7', 'Unique-Local'],
  ['fe80::/10', 'Link-Local Unicast'],
  ['fec0::/10', 'Site-local, deprecated (RFC 3879)'],
  ['ff00::/8', 'Multicast (IPv6 Multicast Address Space Registry)'],
];

type Block = [ipaddr.IPv4 | ipaddr.IPv6, number];
const blocks: Block[] = specialPurpose.map(([block]) => ipaddr.parseCIDR(block));
const inside = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Block) =>
  address.kind() === network.kind() && (address as ipaddr.IPv4).match(network as ipaddr.IPv4, bits);

/** All IPv6 addresses that are allocated for use on the internet. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Whether an address is on the public internet. False in case of doubt. */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv6' && !inside(address, globalUnicast)) return false;
  return address.range() === 'unicast' && !blocks.some((block) => inside(address, block));
}

/** Resolves a host name. `trusted` means that the operator listed the name; other names come from users. */
export type Lookup = (hostname: string, trusted: boolean) => Promise<LookupAddress[]>;

/** Milliseconds to wait for IPv6 addresses once the IPv4 addresses are known. */
const IPV6_DELAY = 300;

interface LookupOptions {
  /** Name servers as `address:port`; defaults to those of the system. */
  servers?: readonly string[];
  /** Milliseconds per query; a query is sent at most twice. */
  timeout?: number;
  /** Resolves a name that the operator listed; defaults to the system. Tests replace it. */
  system?: (hostname: string) => Promise<LookupAddress[]>;
}

/** Listed names that may wait for the system resolver at the same time. The process itself needs the other threads of libuv. */
const MAX_BY_SYSTEM = 4;

/**
 * Create the resolver of the process. It resolves names of users with c-ares, because `getaddrinfo` blocks a thread of libuv while a name
 * server does not answer. Names that the operator listed use the system resolver, with `/etc/hosts` and search domains.
 */
export function createLookup(options: LookupOptions = {}): Lookup {
  const { system = (hostname) => lookup(hostname, { all: true }) } = options;
  const pending = new Map<string, Promise<LookupAddress[]>>();
  const slots = new Slots(MAX_BY_SYSTEM);

  /** Blocks at most one thread per name, because users may request a listed name, too. */
  const bySystem = (hostname: string) => {
    const current = pending.get(hostname);
    if (current) return current;
    const addresses = slots.run('system', undefined, () => system(hostname)).finally(() => pending.delete(hostname));
    pending.set(hostname, addresses);
    return addresses;
  };
  return (hostname, trusted) => (trusted ? bySystem(hostname) : byNameServer(hostname, options));
}

async function byNameServer(hostname: string, { servers, timeout = 2_000 }: LookupOptions): Promise<LookupAddress[]> {
  // Created per lookup, so that it uses the current name servers of the system.
  const resolver = new Resolver({ timeout, tries: 2 });
  if (servers) resolver.setServers(servers);
  const none: LookupAddress[] = [];
  let failure: unknown;
  const resolved = (addresses: Promise<string[]>, family: 4 | 6) =>
    addresses.then(
      (all) => all.map((address): LookupAddress => ({ address, family })),
      (error: unknown) => {
        failure ??= error;
        return none;
      },
    );
  const ipv6 = resolved(resolver.resolve6(hostname), 6);
  const ipv4 = await resolved(resolver.resolve4(hostname), 4);
  const more = ipv4.length > 0 ? await Promise.race([ipv6, sleep(IPV6_DELAY, none)]) : await ipv6;
  resolver.cancel();
  const addresses = [...ipv4, ...more];
  if (addresses.length === 0) throw failure;
  return addresses;
}

const systemLookup = createLookup();

/** The TXT records of a name, each joined to one text; none if the name has no records or its servers do not respond. */
export async function resolveTxt(name: string, { servers, timeout = 2_000 }: LookupOptions = {}): Promise<string[]> {
  const resolver = new Resolver({ timeout, tries: 2 });
  if (servers) resolver.setServers(servers);
  const records = await resolver.resolveTxt(name).catch(() => []);
  return records.map((parts) => parts.join(''));
}
