import type { RequestContext, Source } from 'compiled-gateway';
import { parse } from 'graphql';
import { SignJWT } from 'jose';
import { fail } from '../schema/errors.ts';
import type { Admission, Admit, FindToolAccess, Requirement, ToolAccess } from '../schema/request.ts';
import { CALLER_HEADER, type Sessions, type SignIn } from '../schema/request.ts';

/** A query or mutation with one root field. */
function operation(field: string, text: string) {
  return { field, text, document: parse(text) };
}

const admissionQuery = operation(
  'admission',
  `query ($access: String!, $level: String, $workspaces: Boolean, $plan: String, $gates: [String!], $counter: String, $points: Int) {
    admission(access: $access, level: $level, workspaces: $workspaces, plan: $plan, gates: $gates, counter: $counter, points: $points) { limit remaining reset refusal { code message } organizationId userId clientName }
  }`,
);
const toolAccessQuery = operation(
  'toolAccess',
  `query ($access: String!, $level: String, $workspaces: Boolean, $plan: String, $gates: [String!]) {
    toolAccess(access: $access, level: $level, workspaces: $workspaces, plan: $plan, gates: $gates) { groups refusal { code message } }
  }`,
);
const signIn = '{ user { id name email } organization refusal }';
const signInWithLink = operation(
  'signInWithLink',
  `mutation ($token: String!, $tokenHash: String!, $userAgent: String!) {
    signInWithLink(token: $token, tokenHash: $tokenHash, userAgent: $userAgent) ${signIn}
  }`,
);
const signInWithEmail = operation(
  'signInWithEmail',
  `mutation ($email: String!, $name: String!, $tokenHash: String!, $userAgent: String!) {
    signInWithEmail(email: $email, name: $name, tokenHash: $tokenHash, userAgent: $userAgent) ${signIn}
  }`,
);
const currentSession = operation('currentSession', '{ currentSession { user { id name email } expiresAt } }');
const signOut = operation('signOut', 'mutation { signOut }');

/** Runs an operation in the subgraph that authenticates callers. Throws `UNAVAILABLE` when the subgraph cannot answer. */
async function run<T>(
  source: Source,
  { field, text, document }: ReturnType<typeof operation>,
  context: RequestContext,
  variables: Record<string, unknown> = {},
  isUnique = false,
): Promise<T> {
  const { data, errors } = await source.execute({ document, text, variables, context, ...(isUnique && { isUnique }) });
  if (errors?.length || data?.[field] === undefined)
    throw fail('UNAVAILABLE', 'The service is not available at the moment. Try again shortly.');
  return data[field] as T;
}

/** Query admission. The subgraph caches the identity for all in-process subgraphs. */
export const admission =
  (source: Source): Admit =>
  (context, { counter = null, points = null, ...requirement }) =>
    // Each request counts, also concurrent ones of one caller.
    run<Admission>(source, admissionQuery, context, { ...accessOf(requirement), counter, points }, true);

/** Query the access to MCP tools. */
export const toolAccess =
  (source: Source): FindToolAccess =>
  (context, requirement) =>
    run<ToolAccess>(source, toolAccessQuery, context, accessOf(requirement));

const accessOf = ({ access, level, workspaces, plan, gates }: Requirement) => ({
  access,
  level: level ?? null,
  workspaces: workspaces ?? null,
  plan: plan ?? null,
  gates: gates ?? null,
});

/** The sessions of the dashboard. */
export const sessionQueries = (source: Source): Sessions => ({
  signInWithLink: (context, token, session) => run<SignIn>(source, signInWithLink, context, { token, ...session }),
  signInWithEmail: (context, user, session) => run<SignIn>(source, signInWithEmail, context, { ...user, ...session }),
  find: (context) => run(source, currentSession, context),
  signOut: async (context) => void (await run(source, signOut, context)),
});

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
