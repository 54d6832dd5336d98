import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isPublic } from './addresses.ts';
import { OutboundRefused } from './refusal.ts';

export interface UrlRules {
  schemes?: readonly string[];
  /** Hosts (`host` or `host:port`) an operator trusts although they are private. */
  allowHosts?: readonly string[];
}

/** A URL that may be asked for, as far as can be said without resolving its name. */
export interface Target {
  url: URL;
  /** Listed by the operator: where its name leads is not checked. */
  trusted: boolean;
}

/** Names that mean this machine or the network around it, whatever a resolver says. */
const innerNames = ['localhost', 'local', 'internal', 'localdomain', 'home.arpa', 'intranet', 'lan', 'corp', 'home'];

export const notPublic = () => new OutboundRefused('address', 'The address is not on the public internet.');

/**
 * Reads what a user gave as a URL. The host must be spelled the one plain way: whoever writes `0x7f.1` or full-width digits
 * wants it read differently by somebody else.
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
  if (!plainlySpelled(authority.replace(/:\d*$/, ''), url.hostname)) {
    throw new OutboundRefused('address', 'The host of the address must be written in its usual form.');
  }
  const trusted = isListed(url, allowHosts);
  if (!trusted) refuseInnerHost(url.hostname);
  return { url, trusted };
}

/** The literal without the brackets of a URL. */
export const bareHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

function plainlySpelled(written: string, hostname: string): boolean {
  if (hostname.endsWith('.')) return false;
  const lower = written.toLowerCase();
  if (lower === hostname) return true;
  // What is left is an international name: letters that mean themselves, and nothing that folds into plain ASCII.
  return hostname.includes('xn--') && /[^ -~]/.test(lower) && !lower.includes('%') && lower.normalize('NFKC') === lower;
}

/** Whether an operator trusts the host, or the host on this port. */
export function isListed(url: URL, allowHosts: readonly string[]): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return allowHosts
    .map((each) => (ipaddr.IPv6.isValid(each) ? `[${each}]` : each).toLowerCase())
    .some((each) => each === url.hostname || each === `${url.hostname}:${port}`);
}

function refuseInnerHost(hostname: string): void {
  const host = bareHost(hostname);
  if (isIP(host) ? !isPublic(host) : !host.includes('.') || innerNames.some((name) => host.endsWith(`.${name}`))) throw notPublic();
}
