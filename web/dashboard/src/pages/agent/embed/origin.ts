/** Why a page may not embed the widget, or that it may. */
export type OriginVerdict =
  | { kind: 'allowed' | 'dashboard'; origin: string }
  | { kind: 'invalid' }
  | { kind: 'unsupported'; scheme: string }
  | { kind: 'not-public'; origin: string }
  | { kind: 'scheme' | 'port' | 'www' | 'subdomain'; origin: string; near: string }
  | { kind: 'missing'; origin: string };

/** Add the scheme that a person leaves out. */
const withScheme = (text: string) =>
  /^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^/]+:\d+(?:\/|$)/.test(text) ? text : `https://${text}`;

/** The origin that a browser sends for a page; null for text that is no web address. */
export function originOf(text: string): string | null {
  const url = URL.parse(withScheme(text.trim()));
  return url && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url.origin : null;
}

/**
 * Explain whether a page may embed an agent. Origins are compared as text, so the nearest allowed origin often shows the mistake.
 * @param page an address of a page, or its origin
 */
export function checkOrigin(
  page: string,
  { allowedOrigins, publicAccess }: { allowedOrigins: string[]; publicAccess: boolean },
): OriginVerdict {
  const url = URL.parse(withScheme(page.trim()));
  if (!url) return { kind: 'invalid' };
  if (!/^https?:$/.test(url.protocol)) return { kind: 'unsupported', scheme: url.protocol };
  const { origin } = url;
  if (!publicAccess) return { kind: 'not-public', origin };
  if (origin === location.origin) return { kind: 'dashboard', origin };
  if (allowedOrigins.includes(origin)) return { kind: 'allowed', origin };
  const bare = (host: string) => host.replace(/^www\./, '');
  const nearest = (matches: (allowed: URL) => boolean) => allowedOrigins.find((each) => matches(new URL(each)));
  const rules = {
    scheme: (allowed: URL) => allowed.hostname === url.hostname && allowed.protocol !== url.protocol,
    port: (allowed: URL) => allowed.hostname === url.hostname && allowed.port !== url.port,
    www: (allowed: URL) => bare(allowed.hostname) === bare(url.hostname),
    subdomain: (allowed: URL) =>
      url.hostname.endsWith(`.${bare(allowed.hostname)}`) || bare(allowed.hostname).endsWith(`.${bare(url.hostname)}`),
  };
  for (const [kind, matches] of Object.entries(rules)) {
    const near = nearest(matches);
    if (near) return { kind: kind as keyof typeof rules, origin, near };
  }
  return { kind: 'missing', origin };
}
