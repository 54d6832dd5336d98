import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions } from '../../schema/session.ts';
import { ownPath } from '../../web/shared/own-path.ts';
import { attemptCookie } from './attempt-cookie.ts';
import { messagePage } from './message-page.ts';
import { type Oidc, ProviderUnavailable, SignInRefused } from './oidc.ts';
import type { OwnOrigin } from './origin.ts';
import type { StartSession } from './start-session.ts';

interface OidcRoutes {
  oidc: Oidc;
  own: OwnOrigin;
  sessions: Sessions;
  startSession: StartSession;
}

/** Path that the identity provider leads browsers back to. */
export const CALLBACK = '/auth/oidc/callback';

/** Register the routes that sign users in with an identity provider. */
export function oidcRoutes(app: FastifyInstance, { oidc, own, sessions, startSession }: OidcRoutes): void {
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
      await startSession(request, reply, (context, session) => sessions.signInWithEmail(context, user, session));
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
