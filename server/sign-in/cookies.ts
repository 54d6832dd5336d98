import { createHash, hkdfSync, randomBytes } from 'node:crypto';
// For the types of its decorators; the server registers it.
import '@fastify/cookie';
import type { RequestContext } from 'compiled-gateway';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { type NewSession, SESSION_LIFETIME, type SignIn } from '../../schema/request.ts';
import { truncate } from '../../schema/text.ts';
import type { SignInAttempt } from './oidc.ts';

const FORM = /^cs_[A-Za-z0-9_-]{43}$/;

/** Reads the session of a request: the hash of its token for `x-session`, or undefined when the cookie is missing or must not count. */
export type ReadSession = (request: FastifyRequest) => string | undefined;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The prefix keeps other hosts of the domain from setting the cookie. Browsers accept it only over HTTPS. */
const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** Read a cookie. Of several with one name, the first counts, as in browsers. */
function readCookie({ headers, server }: FastifyRequest, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[name];
}

/** A Cookie header without the cookies of the dashboard. */
export const withoutOwnCookies = (header: string): string =>
  header
    .split(';')
    .filter((each) => !OWN.test(each))
    .join(';')
    .trim();

const OWN = /^\s*(?:__Host-)?(?:session|oidc)\s*=/;

/** Add a cookie to a response. Pages cannot read it. Without a value, the browser deletes it. */
function writeCookie(
  reply: FastifyReply,
  name: string,
  value: string | undefined,
  { isSecure, seconds }: { isSecure: boolean; seconds: number },
): void {
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
  const fullName = cookieName(name, isSecure);
  if (value === undefined) reply.clearCookie(fullName, attributes);
  else reply.setCookie(fullName, value, { ...attributes, maxAge: seconds });
}

const SESSION = 'session';
const MAX_USER_AGENT = 512;

export type SessionCookie = ReturnType<typeof sessionCookie>;

/** The session cookie of the dashboard. */
export function sessionCookie({ isSecure }: Pick<OwnOrigin, 'isSecure'>) {
  return {
    /** The hash of the token, wherever the request comes from. */
    read(request: FastifyRequest): string | undefined {
      const token = readCookie(request, cookieName(SESSION, isSecure(request)));
      return token !== undefined && FORM.test(token) ? hashOf(token) : undefined;
    },
    /** Create a session for the user whom `signIn` returns, and set its cookie. The session that the request sent ends. */
    async start(
      request: FastifyRequest,
      reply: FastifyReply,
      signIn: (context: RequestContext, session: NewSession) => Promise<SignIn>,
    ): Promise<SignIn> {
      // 256 random bits.
      const token = `cs_${randomBytes(32).toString('base64url')}`;
      const userAgent = truncate(request.headers['user-agent'] ?? '', MAX_USER_AGENT);
      const result = await signIn(request.context, { tokenHash: hashOf(token), userAgent });
      if (result.user) writeCookie(reply, SESSION, token, { isSecure: isSecure(request), seconds: SESSION_LIFETIME });
      return result;
    },
    delete(request: FastifyRequest, reply: FastifyReply): void {
      writeCookie(reply, SESSION, undefined, { isSecure: isSecure(request), seconds: SESSION_LIFETIME });
    },
  };
}

/** The session counts only without an API key, and only on the origin of the dashboard. */
export function sessionReader(own: OwnOrigin): ReadSession {
  const { read } = sessionCookie(own);
  return (request) => {
    const { 'x-api-key': key, authorization, cookie } = request.headers;
    if (cookie === undefined || key || authorization || !own.sent(request)) return undefined;
    return read(request);
  };
}

/** An attempt, and the path to open after it. */
interface StoredAttempt extends SignInAttempt {
  to: string;
}

const ATTEMPT = 'oidc';
/** Seconds that a user may take to sign in at the provider. */
const ATTEMPT_LIFETIME = 600;

/** Keeps a sign-in attempt in an encrypted cookie, so that the gateway needs no store. Each process derives the key from `secret`. */
export function attemptCookie(secret: string, { isSecure }: Pick<OwnOrigin, 'isSecure'>) {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'sign-in attempts', 32));
  return {
    async write(request: FastifyRequest, reply: FastifyReply, attempt: StoredAttempt): Promise<void> {
      const token = await new EncryptJWT({ ...attempt })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(`${ATTEMPT_LIFETIME}s`)
        .encrypt(key);
      writeCookie(reply, ATTEMPT, token, { isSecure: isSecure(request), seconds: ATTEMPT_LIFETIME });
    },
    /**
     * The attempt of this browser; undefined when there is none or it expired. The callback with its state counts once. Another callback, such
     * as that of an earlier tab, leaves it open.
     */
    async take(request: FastifyRequest, reply: FastifyReply, state: unknown): Promise<StoredAttempt | undefined> {
      const token = readCookie(request, cookieName(ATTEMPT, isSecure(request)));
      if (!token) return undefined;
      const decrypted = await jwtDecrypt<StoredAttempt>(token, key).catch(() => undefined);
      const attempt = decrypted?.payload;
      if (attempt?.state === state) writeCookie(reply, ATTEMPT, undefined, { isSecure: isSecure(request), seconds: 0 });
      return attempt;
    },
  };
}

/** The origins at which browsers open the dashboard. */
export interface OwnOrigin {
  /** Whether a page of the dashboard sent the request. Browsers send `Origin` with every POST and WebSocket handshake. */
  sent(request: FastifyRequest): boolean;
  /** Whether a request comes from a page of another site. Requests of programs do not. */
  isForeign(request: FastifyRequest): boolean;
  /** Whether cookies of this request are limited to HTTPS. */
  isSecure(request: FastifyRequest): boolean;
  /** The base URL of the dashboard. */
  urlOf(request: FastifyRequest): string;
}

/**
 * @param urls public URLs of the dashboard, the preferred one first. Without any, its origin is the host of each request: browsers do not
 * send the cookies of one host to another.
 */
export function ownOrigin(urls: readonly string[]): OwnOrigin {
  // Browsers send `null` as the origin of sandboxed pages.
  const configured = [...new Set(urls.map((url) => new URL(url).origin))].filter((origin) => origin !== 'null');
  const originOf = ({ protocol, host }: FastifyRequest) => `${protocol}://${host.toLowerCase()}`;
  const isOwn = (origin: string, request: FastifyRequest) =>
    configured.length > 0 ? configured.includes(origin) : origin === originOf(request);

  return {
    sent(request) {
      const { origin, upgrade, 'sec-fetch-site': site } = request.headers;
      if (origin !== undefined) return isOwn(origin, request);
      const isRead = (request.method === 'GET' || request.method === 'HEAD') && upgrade === undefined;
      return isRead && (site === 'same-origin' || site === 'none');
    },
    isForeign(request) {
      const { origin, 'sec-fetch-site': site } = request.headers;
      if (origin !== undefined) return !isOwn(origin, request);
      return site !== undefined && site !== 'same-origin' && site !== 'none';
    },
    isSecure: (request) => request.protocol === 'https' || configured.some((origin) => origin.startsWith('https:')),
    urlOf: (request) => configured.find((origin) => origin === originOf(request)) ?? configured[0] ?? originOf(request),
  };
}
