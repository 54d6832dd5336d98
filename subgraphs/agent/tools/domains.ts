/** The host of a URL template; undefined if it depends on a parameter or the URL is not valid. */
export function fixedHost(endpointUrl: string): string | undefined {
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(endpointUrl) ?? [];
  if (!authority || authority.includes('{{')) return undefined;
  return URL.parse(`https://${authority}`)?.hostname || undefined;
}

/** The canonical form of an entry: a host, or a dot and a host for its subdomains. Undefined if it is neither. */
export function canonicalDomain(entry: string): string | undefined {
  const dot = entry.startsWith('.') ? '.' : '';
  const host = entry.slice(dot.length);
  if (host === '' || /[/?#@\\:%\s]/.test(host.replace(/^\[[0-9a-f:.]+\]$/i, ''))) return undefined;
  const hostname = URL.parse(`https://${host}`)?.hostname;
  return hostname && !hostname.endsWith('.') ? dot + hostname : undefined;
}

/** Whether a host is an entry, or a subdomain of an entry that starts with a dot. */
export const isAllowedHost = (hostname: string, domains: readonly string[]): boolean =>
  domains.some((entry) =>
    entry.startsWith('.') ? hostname.endsWith(entry) && hostname.length > entry.length : hostname === entry,
  );

/** The hosts that a tool may call. */
export function domainsOf({ allowedDomains, endpointUrl }: { allowedDomains: string[]; endpointUrl: string }): string[] {
  if (allowedDomains.length > 0) return allowedDomains;
  const host = fixedHost(endpointUrl);
  return host === undefined ? [] : [host];
}
