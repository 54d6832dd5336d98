import { readFile } from 'node:fs/promises';
import { GraphQLError } from 'graphql';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import { ConfigurationFault, type JwtSettings } from './server-configuration.ts';

/** Milliseconds that a request for keys may take. */
const KEYS_TIMEOUT = 5_000;
/** Milliseconds between requests for keys that were unknown or not to be had. */
const KEYS_COOLDOWN = 30_000;
/** Milliseconds after which keys are read again. */
const KEYS_AGE = 600_000;
/** Milliseconds that keys hold while their server is away. */
const KEYS_HELD = 24 * 3_600_000;
/** A token is a header, so it cannot be long; longer ones are not worth a signature check. */
const MAX_TOKEN = 8_192;

interface Issuer {
  readonly settings: JwtSettings['issuers'][number];
  readonly keys: JWTVerifyGetKey;
}

export interface Tokens {
  /** Verify the token of a request. Returns undefined for a request without one; throws `UNAUTHENTICATED` for an invalid one. */
  verify(headers: Readonly<Record<string, string | undefined>>): Promise<JWTPayload | undefined>;
  /** The header with the signed claims for subgraphs; none for a caller without claims. */
  signed(claims: JWTPayload | undefined): Promise<Record<string, string>>;
}

/** Create the verification of tokens. Throws `ConfigurationFault` when a file of keys cannot be used. */
export async function createTokens(settings: JwtSettings): Promise<Tokens> {
  const issuers = await Promise.all(
    settings.issuers.map(
      async (each, at): Promise<Issuer> => ({ settings: each, keys: await keysOf(each.jwks, `jwt.issuers.${at}.jwks`) }),
    ),
  );
  const { header, prefix, required, clockToleranceSeconds, sign } = settings;
  const secret = sign && new TextEncoder().encode(sign.secret);

  return {
    async verify(headers) {
      const given = headers[header];
      if (given === undefined || given === '') {
        if (required) throw refusal('A token is required');
        return undefined;
      }
      const token = tokenIn(given, prefix);
      if (token !== undefined && token.length > MAX_TOKEN)
        throw refusal(`The token is too long: it may have ${MAX_TOKEN} characters, not ${token.length}`);
      if (token === undefined)
        throw refusal(prefix ? `The header ${header} must be "${prefix}" and a token` : 'The token is invalid');
      for (const { settings: issuer, keys } of candidates(issuers, token)) {
        try {
          const { payload } = await jwtVerify(token, keys, {
            algorithms: issuer.algorithms,
            issuer: issuer.issuer,
            audience: issuer.audience,
            clockTolerance: clockToleranceSeconds,
            requiredClaims: issuer.allowWithoutExpiry ? [] : ['exp'],
          });
          return payload;
        } catch (error) {
          if (isKeyFailure(error)) throw unavailable(error);
          if (error instanceof errors.JWTExpired) throw refusal('The token has expired');
          if (isWithoutExpiry(error)) throw refusal('The token must have an expiry (exp)');
        }
      }
      throw refusal('The token is invalid');
    },
    async signed(claims) {
      if (!sign || !claims) return {};
      const now = Math.floor(Date.now() / 1_000);
      // The claims hold no longer than the token of the caller.
      const expiry = Math.min(
        now + Math.ceil(sign.seconds),
        typeof claims.exp === 'number' ? claims.exp : Number.POSITIVE_INFINITY,
      );
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuedAt(now)
        .setExpirationTime(expiry)
        .sign(secret!);
      return { [sign.header]: token };
    },
  };
}

async function keysOf(jwks: JwtSettings['issuers'][number]['jwks'], place: string): Promise<JWTVerifyGetKey> {
  if (typeof jwks === 'string') return remoteKeys(new URL(jwks));
  try {
    return createLocalJWKSet(JSON.parse(await readFile(jwks.file, 'utf8')));
  } catch (error) {
    throw new ConfigurationFault([`${place}: ${jwks.file} is no JWKS that can be read: ${(error as Error).message}`]);
  }
}

/**
 * Keys of a server. They are read again in the background after 10 minutes, and for an unknown key at most every 30 seconds. While the server is
 * away, the last keys hold for a day.
 */
function remoteKeys(url: URL): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(url, { timeoutDuration: KEYS_TIMEOUT });
  let keys: JWTVerifyGetKey | undefined;
  let [readAt, triedAt] = [0, 0];
  let reading: Promise<void> | undefined;
  const isPast = (time: number, duration: number) => Date.now() - time > duration;
  const readKeys = async () => {
    try {
      await remote.reload();
      keys = createLocalJWKSet(remote.jwks()!);
      readAt = Date.now();
    } finally {
      triedAt = Date.now();
      reading = undefined;
    }
  };
  const read = () => (reading ??= readKeys());

  return async (header, token) => {
    if (!keys || isPast(readAt, KEYS_HELD)) await read();
    else if (isPast(readAt, KEYS_AGE) && isPast(triedAt, KEYS_COOLDOWN)) read().catch(() => {});
    try {
      return await keys!(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (isPast(triedAt, KEYS_COOLDOWN)) await read();
      // The key may be new.
      else if (triedAt > readAt) throw new Error('The server of the keys is away', { cause: error });
      return keys!(header, token);
    }
  };
}

function tokenIn(header: string, prefix: string): string | undefined {
  const at = prefix === '' ? 0 : prefix.length + 1;
  if (header.slice(0, at).toLowerCase() !== (prefix === '' ? '' : `${prefix.toLowerCase()} `)) return undefined;
  const token = header.slice(at).trim();
  return token === '' ? undefined : token;
}

/** The issuers that can have signed a token. Its own word about its issuer is not verified yet. */
function candidates(issuers: readonly Issuer[], token: string): readonly Issuer[] {
  try {
    const { iss } = decodeJwt(token);
    return issuers.filter(({ settings: { issuer } }) => issuer === undefined || issuer === iss);
  } catch {
    return [];
  }
}

const isWithoutExpiry = (error: unknown): boolean =>
  error instanceof errors.JWTClaimValidationFailed && error.claim === 'exp' && error.reason === 'missing';

/** Whether the keys could not be read, which is not the fault of the caller. */
const isKeyFailure = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  !(error instanceof errors.JOSEError) ||
  isBadAnswer(error);

/** `jose` has no class of its own for an answer of a key server that is not 200 or not JSON. */
const isBadAnswer = ({ code }: { code: string }): boolean => code === 'ERR_JOSE_GENERIC';

const refusal = (message: string) => new GraphQLError(message, { extensions: { code: 'UNAUTHENTICATED' } });

const unavailable = (cause: unknown) =>
  new GraphQLError('The token cannot be verified now. Try again shortly.', {
    extensions: { code: 'UNAVAILABLE' },
    originalError: cause as Error,
  });

/** The scopes in a claim: a text with spaces, or a list. */
export function scopesIn(claims: JWTPayload, name: string): string[] {
  const given = claimAt(claims, name);
  if (typeof given === 'string') return given.split(' ').filter(Boolean);
  return Array.isArray(given) ? given.filter((each) => typeof each === 'string') : [];
}

/** The claim at a path: `sub`, `org.id`, or a name that itself has dots, such as `https://example.com/org`. */
export function claimAt(claims: JWTPayload, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
