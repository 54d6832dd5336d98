import { createHash, randomBytes } from 'node:crypto';
// For the types of its decorators; the server registers it.
import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_LIFETIME } from '../../schema/session.ts';
import type { OwnOrigin } from './origin.ts';

const FORM = /^cs_[A-Za-z0-9_-]{43}$/;

/** Reads the session of a request: the hash of its token for `x-session`, or undefined when the cookie is missing or must not count. */
export type ReadSession = (request: FastifyRequest) => string | undefined;

/** Create a session token: 256 random bits, and its hash in base64url. */
export function makeSessionToken(): { token: string; tokenHash: string } {
  const token = `cs_${randomBytes(32).toString('base64url')}`;
  return { token, tokenHash: hashOf(token) };
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The prefix keeps other hosts of the domain from setting the cookie. Browsers accept it only over HTTPS. */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** Read a cookie. Of several with one name, the first counts, as in browsers. */
export function readCookie({ headers, server }: FastifyRequest, name: string): string | undefined {
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
export function writeCookie(
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

/** The session cookie of the dashboard. */
export function sessionCookie({ isSecure }: Pick<OwnOrigin, 'isSecure'>) {
  return {
    /** The hash of the token, wherever the request comes from. */
    read(request: FastifyRequest): string | undefined {
      const token = readCookie(request, cookieName(SESSION, isSecure(request)));
      return token !== undefined && FORM.test(token) ? hashOf(token) : undefined;
    },
    write(request: FastifyRequest, reply: FastifyReply, token: string | undefined): void {
      writeCookie(reply, SESSION, token, { isSecure: isSecure(request), seconds: SESSION_LIFETIME });
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
