import { hash, randomBytes } from 'node:crypto';

const FORM = /^ck_[A-Za-z0-9_-]{43}$/;

/** Create a key of 256 random bits. Only its hash and first characters are stored. */
export function makeKey(): { key: string; prefix: string; hash: Buffer } {
  const key = `ck_${randomBytes(32).toString('base64url')}`;
  return { key, prefix: key.slice(0, 10), hash: hashKey(key) };
}

/** Create the token of an invitation: 256 random bits. Only its hash is stored. */
export const makeToken = () => `ci_${randomBytes(32).toString('base64url')}`;

/** Create the token of a sign-in link: 256 random bits. Only its hash is stored. */
export const makeLinkToken = () => `cl_${randomBytes(32).toString('base64url')}`;

/** An unsalted SHA-256 is sufficient, because 256 random bits cannot be guessed. */
export const hashKey = (key: string) => hash('sha256', key, 'buffer');

/** Read the key of a request from `x-api-key`, or else from `Authorization: Bearer`. */
export function readKey(headers: Readonly<Record<string, string | undefined>>): { key?: string; wellFormed: boolean } {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  const key = headers['x-api-key']?.trim() || bearer || (headers.authorization ? 'malformed' : undefined);
  return { key, wellFormed: key !== undefined && FORM.test(key) };
}
