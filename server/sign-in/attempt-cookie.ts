import { hkdfSync } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { cookieName, readCookie, writeCookie } from './cookie.ts';
import type { Attempt } from './oidc.ts';
import type { OwnOrigin } from './origin.ts';

/** An attempt, and the path to open after it. */
export interface StoredAttempt extends Attempt {
  to: string;
}

const NAME = 'oidc';
/** Seconds that a user may take to sign in at the provider. */
const LIFETIME = 600;

/** Keeps a sign-in attempt in an encrypted cookie, so that the gateway needs no store. Each process derives the key from `secret`. */
export function attemptCookie(secret: string, { isSecure }: Pick<OwnOrigin, 'isSecure'>) {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'sign-in attempts', 32));
  return {
    async write(request: FastifyRequest, reply: FastifyReply, attempt: StoredAttempt): Promise<void> {
      const token = await new EncryptJWT({ ...attempt })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(`${LIFETIME}s`)
        .encrypt(key);
      writeCookie(reply, NAME, token, { isSecure: isSecure(request), seconds: LIFETIME });
    },
    /**
     * The attempt of this browser; undefined when there is none or it expired. The callback with its state counts once. Another callback, such
     * as that of an earlier tab, leaves it open.
     */
    async take(request: FastifyRequest, reply: FastifyReply, state: unknown): Promise<StoredAttempt | undefined> {
      const token = readCookie(request, cookieName(NAME, isSecure(request)));
      if (!token) return undefined;
      const decrypted = await jwtDecrypt<StoredAttempt>(token, key).catch(() => undefined);
      const attempt = decrypted?.payload;
      if (attempt?.state === state) writeCookie(reply, NAME, undefined, { isSecure: isSecure(request), seconds: 0 });
      return attempt;
    },
  };
}
