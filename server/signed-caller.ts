import type { RequestContext } from 'compiled-gateway';
import { SignJWT } from 'jose';
import type { Admit } from '../schema/request.ts';
import { CALLER_HEADER } from '../schema/session.ts';

/** Seconds in which a caller has one token, so that equal queries can share a request. A token holds for one to two such periods. */
const PERIOD = 60;

interface SignedContext extends RequestContext {
  /** The verified caller, for external subgraphs. */
  callerToken?: string;
}

/**
 * Sign the organization and the user of each admitted caller for external subgraphs: a JWT (HS256) with `iss`, `exp`, `org` and `sub`. A caller without a
 * valid key has no token.
 */
export function signingCallers(admit: Admit, secret: string): Admit {
  const key = new TextEncoder().encode(secret);
  return async (context: SignedContext, requirement) => {
    const admission = await admit(context, requirement);
    const { organizationId, userId } = admission;
    // An operation is admitted several times.
    if (!context.callerToken && (organizationId || userId)) {
      const claims = { ...(organizationId && { org: organizationId }), ...(userId && { sub: userId }) };
      const expiry = (Math.floor(Date.now() / 1_000 / PERIOD) + 2) * PERIOD;
      context.callerToken = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer('catalog-graph')
        .setExpirationTime(expiry)
        .sign(key);
    }
    return admission;
  };
}

/** The headers of external subgraphs: the named ones of the caller, and its token. */
export const externalHeaders =
  (names: readonly string[]) =>
  ({ headers, callerToken }: SignedContext): Record<string, string | undefined> => ({
    ...Object.fromEntries(names.map((name) => [name, headers[name]])),
    [CALLER_HEADER]: callerToken,
  });
