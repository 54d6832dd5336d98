import type { RequestContext } from 'compiled-gateway';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NewSession, SignIn } from '../../schema/session.ts';
import { truncate } from '../../schema/text.ts';
import { makeSessionToken, type sessionCookie } from './cookie.ts';

/** Create a session for the user whom `signIn` returns, and set its cookie. The session that the request sent ends. */
export type StartSession = (
  request: FastifyRequest,
  reply: FastifyReply,
  signIn: (context: RequestContext, session: NewSession) => Promise<SignIn>,
) => Promise<SignIn>;

const MAX_USER_AGENT = 512;

export const sessionStarter =
  (cookie: ReturnType<typeof sessionCookie>): StartSession =>
  async (request, reply, signIn) => {
    const { token, tokenHash } = makeSessionToken();
    const userAgent = truncate(request.headers['user-agent'] ?? '', MAX_USER_AGENT);
    const result = await signIn(request.context, { tokenHash, userAgent });
    if (result.user) cookie.write(request, reply, token);
    return result;
  };
