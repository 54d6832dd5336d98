import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import { fail } from '../../schema/errors.ts';
import { clock } from '../database/index.ts';
import type { Secrets } from '../secrets/index.ts';

/** An agent that reads the graph for its organization. */
export interface AgentIdentity {
  organizationId: string;
  agentId: string;
}

/** Carries the token. Servers never forward this header from outside. */
export const AGENT_TOKEN_HEADER = 'x-agent-token';

/** Separates these tokens from other tokens that the same secret signs. */
const AUDIENCE = 'agent-graph';
/** Seconds. A token serves one operation. */
const LIFETIME = 30;
/** Seconds that the clocks of two hosts may differ. */
const CLOCK_TOLERANCE = 5;

/** Sign a token that identifies an agent for one operation. */
export const signAgentToken = (secrets: Secrets, { organizationId, agentId }: AgentIdentity): Promise<string> =>
  new SignJWT({ organizationId })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(agentId)
    .setAudience(AUDIENCE)
    .setIssuedAt(clock.now())
    .setExpirationTime(new Date(clock.ms() + LIFETIME * 1_000))
    .sign(secrets.tokenKey(AUDIENCE));

/** The agent of a token. Throws `INVALID_KEY` for forged and expired tokens. */
export async function readAgentToken(secrets: Secrets, token: string): Promise<AgentIdentity> {
  for (const key of secrets.tokenKeys(AUDIENCE)) {
    const verified = await jwtVerify<{ organizationId: string }>(token, key, {
      audience: AUDIENCE,
      algorithms: ['HS256'],
      currentDate: clock.now(),
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['sub', 'exp', 'organizationId'],
    }).catch(() => undefined);
    if (verified) return { organizationId: verified.payload.organizationId, agentId: verified.payload.sub! };
  }
  throw fail('INVALID_KEY', 'Invalid API Key');
}

/** The organization that a token names, without a check of its signature: for a fair share of connections, not for access. */
export function organizationOfToken(token: string): string | undefined {
  try {
    return decodeJwt<{ organizationId?: string }>(token).organizationId;
  } catch {
    return undefined;
  }
}
