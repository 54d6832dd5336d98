const ORIGIN = 'http://own.invalid';

/**
 * The path, query and fragment of an address, if every browser opens it on the origin of the page that leads there; otherwise undefined.
 * The dashboard and the server follow no other address after a sign-in, because anyone can write the link to it.
 */
export function ownPath(to: unknown): string | undefined {
  if (typeof to !== 'string' || !to.startsWith('/') || !URL.canParse(to, ORIGIN)) return undefined;
  const { origin, pathname, search, hash } = new URL(to, ORIGIN);
  // Browsers read a path that begins with two slashes, as `/.//host` does once it is resolved, as a host.
  return origin === ORIGIN && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : undefined;
}
