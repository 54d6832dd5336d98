import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { clock } from '../../../platform/database/index.ts';
import { EMAIL } from '../../../platform/fields/index.ts';
import { OutboundRefused } from '../../../platform/outbound/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { storable } from '../../../schema/text.ts';
import type { Agent } from '../agents/entity.ts';
import type { Identity } from './entity.ts';
import { openSigningSecrets } from './signing-secrets.ts';

/** Why a token names nobody. The text is for the developer of the site. */
export interface IdentityFault {
  status: Exclude<EnumValue<'IdentityStatus'>, 'none' | 'verified'>;
  error: string;
}

type TokenAgent = Pick<Agent, 'id' | 'publicSlug' | 'identityKeysUrl'>;

const MAX_LENGTH = 8_000;
/** Seconds that a token may be valid, and that the clocks of both sides may differ. */
const [MAX_LIFETIME, TOLERANCE] = [24 * 60 * 60, 60];
const SUBJECT = /^[\x21-\x7e]{1,255}$/;
const ASYMMETRIC = ['RS256', 'ES256'];
/** Claims of the standard, and those that have a field of their own. */
const KNOWN_CLAIMS = ['sub', 'email', 'name', 'exp', 'iat', 'nbf', 'iss', 'aud', 'jti'];

const invalid = (error: string): IdentityFault => ({ status: 'invalid', error });

/** Read the identity token of a visitor. Never throws for a token that is not valid. */
export async function readIdentity(scope: Scope, agent: TokenAgent, token: string): Promise<Identity | IdentityFault> {
  if (token.length > MAX_LENGTH) return invalid(`The identity token must be at most ${MAX_LENGTH} characters.`);
  try {
    return identityOf(await verify(scope, agent, token));
  } catch (error) {
    if (error instanceof Refused) return invalid(error.message);
    if (error instanceof KeysUnavailable) return { status: 'unavailable', error: error.message };
    if (error instanceof errors.JWTExpired) return { status: 'expired', error: 'The identity token has expired.' };
    if (error instanceof errors.JWTClaimValidationFailed)
      return invalid(`The claim ${error.claim} of the identity token is missing or not valid.`);
    if (error instanceof errors.JWSSignatureVerificationFailed)
      return invalid('The signature of the identity token does not fit the secret of the agent.');
    if (error instanceof errors.JWKSNoMatchingKey) return invalid('No key at the URL of keys fits the identity token.');
    if (error instanceof errors.JOSEError) return invalid('The identity token is no valid JSON Web Token.');
    throw error;
  }
}

/** The token is not valid for this agent. */
class Refused extends Error {}

/** The claims of a token. The algorithm decides which key it needs, so that no public key ever serves as a secret. */
async function verify(scope: Scope, agent: TokenAgent, token: string): Promise<JWTPayload> {
  const alg = algorithmOf(token);
  if (alg === 'HS256') return verifyWithSecrets(scope, agent, token);
  if (alg === undefined || !ASYMMETRIC.includes(alg))
    throw new Refused('The algorithm of the identity token must be HS256, RS256 or ES256.');
  if (agent.identityKeysUrl === null) throw new Refused('The agent has no URL of keys, so that the identity token must use HS256.');
  const keys = await keySetOf(scope, agent.identityKeysUrl);
  // The site may sign tokens for others with the same keys.
  const options = { ...common(), algorithms: ASYMMETRIC, audience: agent.publicSlug };
  try {
    const { payload } = await jwtVerify(token, keys as JWTVerifyGetKey, options);
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof KeysUnavailable) throw error;
    // The library rejects a malformed or short key with an error of another class when it is used.
    throw new KeysUnavailable('A key at the URL of keys cannot be used.');
  }
}

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch {
    throw new errors.JWTInvalid();
  }
}

async function verifyWithSecrets(scope: Scope, { id, publicSlug }: TokenAgent, token: string): Promise<JWTPayload> {
  const secrets = await openSigningSecrets(scope, id, 'identity');
  if (secrets.length === 0) throw new Refused('The agent has no secret for identity tokens. Make one in the dashboard.');
  for (const [place, secret] of secrets.entries()) {
    try {
      const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), { ...common(), algorithms: ['HS256'] });
      const { aud } = payload;
      if (aud !== undefined && ![aud].flat().includes(publicSlug)) throw new Refused('The identity token is for another audience.');
      return payload;
    } catch (error) {
      const isLast = place === secrets.length - 1;
      if (isLast || !(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

const common = () => ({ requiredClaims: ['sub', 'exp'], clockTolerance: TOLERANCE, currentDate: clock.now() });

function identityOf({ sub, exp, email, name, ...rest }: JWTPayload): Identity | IdentityFault {
  if (typeof sub !== 'string' || !SUBJECT.test(sub))
    return invalid('The claim sub of the identity token must be 1 to 255 visible ASCII characters.');
  const now = clock.ms() / 1_000;
  if (exp! - now > MAX_LIFETIME + TOLERANCE) return invalid('The identity token must expire within 24 hours.');
  if (email !== undefined && email !== null && !(typeof email === 'string' && email.length <= 320 && EMAIL.pattern.test(email)))
    return invalid('The claim email of the identity token must be an e-mail address.');
  if (name !== undefined && name !== null && !(typeof name === 'string' && name.length <= 255))
    return invalid('The claim name of the identity token must be a text of at most 255 characters.');
  const claims = Object.fromEntries(Object.entries(rest).filter(([claim]) => !KNOWN_CLAIMS.includes(claim)));
  return {
    subject: sub,
    email: textOf(email),
    name: textOf(name),
    claims,
    expiresAt: exp! * 1_000,
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? storable(value).trim() || null : null);

/** The keys of a site could not be read. The text is for its developer. */
class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

type LocalKeySet = ReturnType<typeof createLocalJWKSet>;

interface KnownSet {
  /** The keys of the last successful read. */
  keys?: LocalKeySet;
  readAt: number;
  /** The last read, its result if it failed, and the read that is running. */
  triedAt: number;
  fault?: KeysUnavailable;
  reading?: Promise<void>;
}

/** Milliseconds that a set is used, between two reads, and that it is used while reads fail. */
const [MAX_AGE, COOLDOWN, MAX_STALE] = [10 * 60_000, 30_000, 24 * 60 * 60_000];
/** Sets to keep, keys and bytes of one, and the time limit of a read. */
const [MAX_SETS, MAX_KEYS, MAX_BYTES, TIMEOUT] = [500, 50, 64 * 1024, 5_000];

/** By organization and URL, the most recently used last. */
const known = new Map<string, KnownSet>();

/** The keys of a JWKS URL, as `jwtVerify` takes them. Throws `KeysUnavailable` when they cannot be read. */
async function keySetOf(scope: Scope, url: string) {
  const find = await read(scope, url, MAX_AGE);
  return async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    try {
      return await find(header, token);
    } catch (error) {
      // The site may have rotated its keys.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return (await read(scope, url, COOLDOWN))(header, token);
    }
  };
}

/** The keys of a URL. Read again after `maxAge`, but a flood of tokens never becomes a flood of reads, also while they fail. */
async function read(scope: Scope, url: string, maxAge: number): Promise<LocalKeySet> {
  const set = use(`${scope.organizationId} ${url}`);
  const age = () => performance.now() - set.readAt;
  if (set.keys && age() < maxAge) return set.keys;
  if (performance.now() - set.triedAt >= COOLDOWN) {
    set.triedAt = performance.now();
    set.reading = refresh(scope, url, set);
  }
  await set.reading;
  if (set.keys && age() < MAX_STALE) return set.keys;
  throw set.fault!;
}

/** Never throws. A failed read keeps the keys of the one before. */
async function refresh(scope: Scope, url: string, set: KnownSet): Promise<void> {
  try {
    Object.assign(set, { keys: await download(scope, url), readAt: performance.now() });
  } catch (error) {
    set.fault = error as KeysUnavailable;
  }
}

function use(name: string): KnownSet {
  const set = known.get(name) ?? { readAt: Number.NEGATIVE_INFINITY, triedAt: Number.NEGATIVE_INFINITY };
  known.delete(name);
  known.set(name, set);
  const [oldest] = known.keys();
  if (known.size > MAX_SETS) known.delete(oldest!);
  return set;
}

async function download({ services, organizationId }: Scope, url: string): Promise<LocalKeySet> {
  try {
    const outbound = services.outbound.ownedBy(organizationId);
    const { status, body } = await outbound.request(url, { accept: 'application/json', timeoutMs: TIMEOUT, maxBytes: MAX_BYTES });
    if (status !== 200) throw new KeysUnavailable(`The URL of keys answered with status ${status}.`);
    const set = JSON.parse(body.toString('utf8')) as JSONWebKeySet;
    const keys = set.keys.filter(({ kty }) => kty === 'RSA' || kty === 'EC').slice(0, MAX_KEYS);
    return createLocalJWKSet({ keys });
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error;
    if (error instanceof OutboundRefused) throw new KeysUnavailable(`The URL of keys cannot be read: ${error.message}`);
    throw new KeysUnavailable('The URL of keys does not answer with a JSON Web Key Set.');
  }
}
