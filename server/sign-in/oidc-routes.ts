import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions } from '../../schema/session.ts';
import { escapeMarkup } from '../../schema/text.ts';
import { ownPath } from '../../web/shared/own-path.ts';
import { attemptCookie, type SessionCookie } from './cookies.ts';
import { type Oidc, ProviderUnavailable, SignInRefused } from './oidc.ts';
import type { OwnOrigin } from './origin.ts';

interface OidcRoutes {
  oidc: Oidc;
  own: OwnOrigin;
  sessions: Sessions;
  cookie: SessionCookie;
}

/** Path that the identity provider leads browsers back to. */
export const CALLBACK = '/auth/oidc/callback';

/** Register the routes that sign users in with an identity provider. */
export function oidcRoutes(app: FastifyInstance, { oidc, own, sessions, cookie }: OidcRoutes): void {
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
export function messagePage(reply: FastifyReply, status: number, title: string, text: string): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeMarkup(title)}</title></head>` +
        `<body><main><h1>${escapeMarkup(title)}</h1><p>${escapeMarkup(text)}</p><p><a href="/">Back to the dashboard</a></p></main></body></html>`,
    );
}
