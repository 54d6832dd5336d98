import { CLIENT_HEADERS, type Client, clientOf, type RequestContext, type Source } from 'compiled-gateway';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parse } from 'graphql';
import { SignJWT } from 'jose';
import { codeOf, fail } from '../schema/errors.ts';
import { AnswerBudget, defaultAnswerLimit } from '../schema/limits.ts';
import {
  type Admission,
  type Admit,
  CALLER_HEADER,
  type FindToolAccess,
  IDENTITY_HEADER,
  type Requirement,
  SESSION_HEADER,
  type Sessions,
  type SignIn,
  type ToolAccess,
} from '../schema/request.ts';
import { type Lifetime, lifetimeOf } from './lifetime.ts';
import { type ReadSession, withoutOwnCookies } from './sign-in/cookies.ts';

type Headers = Record<string, string | undefined>;

/**
 * Headers that identify a caller and select the organization. A handoff token gives a visitor access to one conversation, and an
 * identity token names the visitor.
 */
export const credentials = ['x-api-key', 'authorization', 'x-organization', 'x-handoff-token', IDENTITY_HEADER] as const;

/** Other names of headers in `connectionParams`, in lower case. */
const aliases: Readonly<Record<string, string>> = { handofftoken: 'x-handoff-token', identitytoken: IDENTITY_HEADER };

/**
 * Select the headers of a GraphQL request for subgraphs: the credentials and those in `forward`. The client address is the peer
 * address that the server observed, never a client header, and the session is the hash of the cookie.
 */
export function credentialHeaders(request: FastifyRequest, forward: readonly string[] = [], readSession?: ReadSession): Headers {
  const { headers, ip } = request;
  const passed: Headers = { origin: pageOrigin(request), 'x-client-address': ip };
  for (const name of [...credentials, ...forward]) {
    const value = headers[name];
    // The parser keeps spaces beyond ASCII, and a key of them is none.
    if (typeof value === 'string' && value.trim() !== '') passed[name] = value;
  }
  const session = readSession?.(request);
  if (session !== undefined) passed[SESSION_HEADER] = session;
  // External subgraphs may receive cookies, but not those of the dashboard.
  if (passed.cookie !== undefined) passed.cookie = withoutOwnCookies(passed.cookie);
  return passed;
}

/** The values that HTTP allows, because subgraphs in other processes get them in a header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Read the same headers from an untyped map such as `connectionParams`. Names are case-insensitive. Throws `INVALID_INPUT` for a value
 * that no header can have.
 */
export function readCredentials(given: unknown, forward: readonly string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  if (typeof given !== 'object' || given === null) return found;
  for (const [name, text] of Object.entries(given)) {
    const header = aliases[name.toLowerCase()] ?? name.toLowerCase();
    const known = [...credentials, ...forward].find((each) => each === header);
    const value = typeof text === 'string' ? text.trim() : '';
    if (!known || value === '') continue;
    if (!HEADER_VALUE.test(value)) throw fail('INVALID_INPUT', `${known} has characters that no HTTP header has`);
    found[known] = value;
  }
  return found;
}

/** The origin of the page that sent a request. Browsers omit `Origin` when a page reads its own origin, and say so in another header. */
export function pageOrigin({ method, headers, protocol, host }: FastifyRequest): string | undefined {
  if (headers.origin !== undefined) return headers.origin;
  const isOwnRead = (method === 'GET' || method === 'HEAD') && headers['sec-fetch-site'] === 'same-origin';
  return isOwnRead ? `${protocol}://${host.toLowerCase()}` : undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The request context that the gateway passes to subgraphs. */
    context: RequestContext;
    lifetime: Lifetime;
    /** For the log line of the request. */
    organizationId?: string;
    operation?: string;
  }
}

export interface AdmissionOptions {
  /** Identifies the caller and counts the request. Without it, all requests are admitted. */
  admit?: Admit;
  /** Timeout of an operation, in milliseconds; default 60,000. */
  timeout?: number;
  /** Maximum bytes of a response, and of the rows read for it. */
  answerLimit?: number;
}

/** Maximum bytes of a body or message without a key, because these are parsed before the caller is identified. */
export const anonymousLimit = 262_144;

/** Whether the forwarded headers lack a credential. It does not validate one. */
export const isAnonymous = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  !headers['x-api-key'] && !headers.authorization && !headers[SESSION_HEADER];

/**
 * Start a request: create its lifetime and context, count it, and write the rate-limit headers. Returns the refusal, if any. Call
 * it before the body is read, so that a refused caller does not upload.
 * @param headers forwarded to subgraphs; `Idempotency-Key` is added
 */
export async function admitRequest(
  { admit, timeout = 60_000, answerLimit = defaultAnswerLimit }: AdmissionOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Record<string, string | undefined>,
  requirement: Requirement,
): Promise<Admission['refusal']> {
  const { traceparent, 'idempotency-key': idempotencyKey } = request.headers as Record<string, string | undefined>;
  if (idempotencyKey !== undefined) headers['idempotency-key'] = String(idempotencyKey);
  request.lifetime = lifetimeOf(reply.raw, timeout);
  request.context = { headers, signal: request.lifetime.signal, budget: new AnswerBudget(answerLimit), traceparent };
  if (!admit) {
    request.context.client = namedClient(request.headers);
    return null;
  }
  const admission = await admit(request.context, requirement);
  request.context.client = namedClient(request.headers, admission);
  request.organizationId = admission.organizationId ?? undefined;
  request.context.owner = ownerOf(admission);
  writeLimit(reply, admission);
  return admission.refusal;
}

/** The owner of a caller's requests to subgraphs: the organization, or the user if none is selected. Callers without a valid key share one. */
export const ownerOf = ({ organizationId, userId }: Pick<Admission, 'organizationId' | 'userId'>): string =>
  organizationId ?? userId ?? '';

/** The client that the headers name, or else the key or session. */
export const namedClient = (headers: Readonly<Record<string, unknown>>, admission?: Admission): Client | undefined =>
  clientOf(headers[CLIENT_HEADERS[0]], headers[CLIENT_HEADERS[1]]) ?? clientOf(admission?.clientName);

/** Write the headers of the rate limit. */
export function writeLimit(reply: FastifyReply, { limit, remaining, reset, refusal }: Admission): void {
  reply.headers({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset });
  if (refusal?.code === 'RATE_LIMITED') reply.header('retry-after', retryAfterOf(reset));
}

/** Seconds until a time in Unix seconds. Windows take a minute, and the clock of this process may be wrong. */
const retryAfterOf = (reset: number): number => Math.min(60, Math.max(1, reset - Math.floor(Date.now() / 1_000)));

/**
 * The reason not to read the body of a caller without a key. A body of unknown length is refused, because it could be too large.
 */
export function anonymousBodyFault({ headers, context }: FastifyRequest): string | undefined {
  if (!isAnonymous(context.headers)) return undefined;
  const isSmall = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= anonymousLimit;
  return isSmall ? undefined : `without a key, a body must have a Content-Length of at most ${anonymousLimit} bytes`;
}

/** Throw the error of a refused caller. */
export function throwRefusal(refusal: Admission['refusal']): void {
  if (refusal) throw fail(codeOf({ extensions: refusal }), refusal.message);
}

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
