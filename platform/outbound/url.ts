import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isPublic } from './addresses.ts';
import { OutboundRefused } from './refusal.ts';

export interface UrlRules {
  schemes?: readonly string[];
  /** Private hosts (`host` or `host:port`) that the operator allows. */
  allowHosts?: readonly string[];
}

/** A URL that passed all checks that need no name resolution. */
export interface Target {
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

export const notPublic = () => new OutboundRefused('address', 'The address is not on the public internet.');

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
export const bareHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

function isCanonicalHost(written: string, hostname: string): boolean {
  if (hostname.endsWith('.')) return false;
  const lower = written.toLowerCase();
  if (lower === hostname) return true;
  // Otherwise accept only internationalized names whose characters do not normalize to ASCII.
  return hostname.includes('xn--') && /[^ -~]/.test(lower) && !lower.includes('%') && lower.normalize('NFKC') === lower;
}

/** Whether the operator listed the host, or the host with this port. */
export function isListed(url: URL, allowHosts: readonly string[]): boolean {
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
