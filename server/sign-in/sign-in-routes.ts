import type { RequestContext } from 'compiled-gateway';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_HEADER, type Sessions } from '../../schema/request.ts';
import { escapeMarkup } from '../../schema/text.ts';
import { ownPath } from '../../web/shared/own-path.ts';
import type { readConfig } from '../config.ts';
import { failureOf, httpError } from '../failure.ts';
import type { Lifetime } from '../lifetime.ts';
import { type AdmissionOptions, admitRequest } from '../request-admission.ts';
import type { SendPage } from '../static-pages.ts';
import { attemptCookie, type OwnOrigin, ownOrigin, type SessionCookie, sessionCookie } from './cookies.ts';
import { Oidc, ProviderUnavailable, SignInRefused } from './oidc.ts';

interface SignInOptions extends AdmissionOptions {
  sessions: Sessions;
  own: OwnOrigin;
  /** Undefined without an identity provider. */
  oidc?: Oidc;
  /** Sends the page of the dashboard; undefined when it is not built. */
  sendPage?: SendPage;
}

const refusals = {
  unknown: [401, 'This sign-in link is not valid. Check that you opened the whole link, or ask for a new one.'],
  expired: [410, 'This sign-in link was used already or has expired. Ask for a new one.'],
} as const;

/** Maximum bytes of a body, and characters of a token. */
const [BODY_LIMIT, MAX_TOKEN] = [4_096, 128];

/** A plugin with the sign-in routes of the dashboard. Requests count against their session, or else their address. */
export async function signInRoutes(app: FastifyInstance, options: SignInOptions): Promise<void> {
  const { sessions, own, oidc, sendPage } = options;
  const cookie = sessionCookie(own);
  app.decorateRequest('context', null as unknown as RequestContext);
  app.decorateRequest('lifetime', null as unknown as Lifetime);
  app.setErrorHandler(answerError);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: BODY_LIMIT }, readJson);

  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const isForeign = own.isForeign(request);
    // The provider leads the browser to the callback, where a sign-in replaces the earlier session.
    const session = isForeign && request.routeOptions.url !== CALLBACK ? undefined : cookie.read(request);
    const headers = { 'x-client-address': request.ip, ...(session && { [SESSION_HEADER]: session }) };
    const refusal = await admitRequest(options, request, reply, headers, { access: 'public' });
    if (refusal?.code === 'RATE_LIMITED') throw httpError(429, 'Too many requests. Try again in a minute.');
    if (isForeign && request.method === 'POST')
      throw httpError(403, `Another site must not sign you in or out. Open the dashboard at ${own.urlOf(request)}.`);
  });

  app.get('/auth/methods', async () => ({ oidc: oidc ? { name: oidc.name } : null, links: true }));

  app.get('/auth/session', async ({ context }) => {
    const session = await sessions.find(context);
    if (!session) throw httpError(401, 'You are not signed in.');
    return session;
  });

  app.post('/auth/sign-out', async (request, reply) => {
    await sessions.signOut(request.context);
    cookie.delete(request, reply);
    return reply.code(204).send();
  });

  // Opening a link does not use it, because scanners of e-mail open links.
  app.get('/auth/link/:token', (_, reply) =>
    sendPage
      ? sendPage(reply)
      : messagePage(reply, 503, 'The dashboard is not built', 'Run npm run build and restart the gateway.'),
  );

  app.post<{ Body?: { token?: unknown } | null }>('/auth/link', async (request, reply) => {
    const token = request.body?.token;
    if (typeof token !== 'string' || token.length > MAX_TOKEN)
      throw httpError(400, 'The body must contain the token of a sign-in link.');
    const { user, organization, refusal } = await cookie.start(request, reply, (context, session) =>
      sessions.signInWithLink(context, token, session),
    );
    if (!user) {
      const [status, message] = refusals[refusal ?? 'unknown'];
      throw httpError(status, message);
    }
    return { user, organization };
  });

  if (oidc) oidcRoutes(app, { oidc, own, sessions, cookie });
}

/** Pages may send the header of JSON without a body. */
async function readJson(_request: FastifyRequest, text: string): Promise<unknown> {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    throw httpError(400, 'The body is not valid JSON.');
  }
}

function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message } = failureOf(error);
  if (status >= 500) request.log.error({ err: error }, 'A sign-in request failed');
  return reply.code(status).send({ error: message });
}

type Config = Pick<
  ReturnType<typeof readConfig>,
  'PUBLIC_URL' | 'DASHBOARD_ORIGIN' | 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET'
>;

/** The options of the sign-in routes from the configuration. */
export function signInOf(config: Config) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  const urls = [config.DASHBOARD_ORIGIN, config.PUBLIC_URL].filter((url) => url !== undefined);
  return {
    own: ownOrigin(urls),
    oidc: issuer && clientId && clientSecret ? new Oidc({ issuer, clientId, clientSecret }) : undefined,
  };
}

interface OidcRoutes {
  oidc: Oidc;
  own: OwnOrigin;
  sessions: Sessions;
  cookie: SessionCookie;
}

/** Path that the identity provider leads browsers back to. */
const CALLBACK = '/auth/oidc/callback';

/** Register the routes that sign users in with an identity provider. */
function oidcRoutes(app: FastifyInstance, { oidc, own, sessions, cookie }: OidcRoutes): void {
  const attempts = attemptCookie(oidc.options.clientSecret, own);

  app.get<{ Querystring: { to?: unknown } }>('/auth/oidc', (request, reply) =>
    orPage(request, reply, async () => {
      const { attempt, url } = await oidc.begin(own.urlOf(request) + CALLBACK);
      await attempts.write(request, reply, { ...attempt, to: destinationOf(request.query.to) });
      return reply.redirect(url);
    }),
  );

  app.get<{ Querystring: { state?: unknown } }>(CALLBACK, (request, reply) =>
    orPage(request, reply, async () => {
      const attempt = await attempts.take(request, reply, request.query.state);
      if (!attempt) throw new SignInRefused('This sign-in was started in another browser or has expired. Sign in again.');
      const user = await oidc.complete(new URL(request.url, own.urlOf(request)), attempt);
      await cookie.start(request, reply, (context, session) => sessions.signInWithEmail(context, user, session));
      return reply.redirect(attempt.to);
    }),
  );
}

/** Browsers drop cookies above 4 KB, so the percent-encoded path of an attempt must be shorter. */
const MAX_PATH = 2_048;

/** A path of the dashboard. Everything else, such as the address of another host, becomes the home page. */
export function destinationOf(to: unknown): string {
  const path = ownPath(to);
  return path !== undefined && path.length <= MAX_PATH ? path : '/';
}

/** Show refusals as a page, because a person opened the address. */
async function orPage(request: FastifyRequest, reply: FastifyReply, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    const isDown = error instanceof ProviderUnavailable;
    if (!isDown && !(error instanceof SignInRefused)) throw error;
    request.log.warn({ err: error }, 'A sign-in with the provider failed');
    return messagePage(reply, isDown ? 503 : 403, 'You are not signed in', error.message);
  }
}

/** Send a page that only shows a message, for responses that the dashboard cannot show. */
function messagePage(reply: FastifyReply, status: number, title: string, text: string): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeMarkup(title)}</title></head>` +
        `<body><main><h1>${escapeMarkup(title)}</h1><p>${escapeMarkup(text)}</p><p><a href="/">Back to the dashboard</a></p></main></body></html>`,
    );
}
