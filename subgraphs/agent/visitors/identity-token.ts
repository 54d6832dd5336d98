import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { clock } from '../../../platform/database/index.ts';
import { EMAIL } from '../../../platform/fields/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { storable } from '../../../schema/text.ts';
import type { Agent } from '../agents/entity.ts';
import type { Identity } from './identity.ts';
import { KeysUnavailable, keySetOf } from './key-sets.ts';
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
