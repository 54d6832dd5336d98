import type { FastifyRequest } from 'fastify';
import { fail } from '../schema/errors.ts';
import { IDENTITY_HEADER } from '../schema/request.ts';
import { SESSION_HEADER } from '../schema/session.ts';
import { type ReadSession, withoutOwnCookies } from './sign-in/cookies.ts';

type Headers = Record<string, string | undefined>;

/**
 * Headers that identify a caller and select the organization. A handoff token gives a visitor access to one conversation, and an
 * identity token names the visitor.
 */
export const credentials = ['x-api-key', 'authorization', 'x-organization', 'x-handoff-token', IDENTITY_HEADER] as const;

/** Other names of headers in `connectionParams`, in lower case. */
const aliases: Readonly<Record<string, string>> = { handofftoken: 'x-handoff-token', identitytoken: IDENTITY_HEADER };

/**
 * Select the headers of a GraphQL request for subgraphs: the credentials and those in `forward`. The client address is the peer
 * address that the server observed, never a client header, and the session is the hash of the cookie.
 */
export function credentialHeaders(request: FastifyRequest, forward: readonly string[] = [], readSession?: ReadSession): Headers {
  const { headers, ip } = request;
  const passed: Headers = { origin: pageOrigin(request), 'x-client-address': ip };
  for (const name of [...credentials, ...forward]) {
    const value = headers[name];
    // The parser keeps spaces beyond ASCII, and a key of them is none.
    if (typeof value === 'string' && value.trim() !== '') passed[name] = value;
  }
  const session = readSession?.(request);
  if (session !== undefined) passed[SESSION_HEADER] = session;
  // External subgraphs may receive cookies, but not those of the dashboard.
  if (passed.cookie !== undefined) passed.cookie = withoutOwnCookies(passed.cookie);
  return passed;
}

/** The values that HTTP allows, because subgraphs in other processes get them in a header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Read the same headers from an untyped map such as `connectionParams`. Names are case-insensitive. Throws `INVALID_INPUT` for a value
 * that no header can have.
 */
export function readCredentials(given: unknown, forward: readonly string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  if (typeof given !== 'object' || given === null) return found;
  for (const [name, text] of Object.entries(given)) {
    const header = aliases[name.toLowerCase()] ?? name.toLowerCase();
    const known = [...credentials, ...forward].find((each) => each === header);
    const value = typeof text === 'string' ? text.trim() : '';
    if (!known || value === '') continue;
    if (!HEADER_VALUE.test(value)) throw fail('INVALID_INPUT', `${known} has characters that no HTTP header has`);
    found[known] = value;
  }
  return found;
}

/** The origin of the page that sent a request. Browsers omit `Origin` when a page reads its own origin, and say so in another header. */
export function pageOrigin({ method, headers, protocol, host }: FastifyRequest): string | undefined {
  if (headers.origin !== undefined) return headers.origin;
  const isOwnRead = (method === 'GET' || method === 'HEAD') && headers['sec-fetch-site'] === 'same-origin';
  return isOwnRead ? `${protocol}://${host.toLowerCase()}` : undefined;
}
