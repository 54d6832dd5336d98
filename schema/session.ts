import type { RequestContext } from 'compiled-gateway';

/**
 * Carries the SHA-256 of a session token from the gateway to the product's subgraphs, which therefore never see the token. Servers never
 * forward this header from outside.
 */
export const SESSION_HEADER = 'x-session';

/** Carries the signed caller to external subgraphs. Servers never forward this header from outside. */
export const CALLER_HEADER = 'x-graph-caller';

/** Seconds after which a session ends, used or not. Its cookie expires at the same time. */
export const SESSION_LIFETIME = 90 * 24 * 60 * 60;

/** The user of a session, as the dashboard shows it. */
export interface SessionUser {
  id: string;
  name: string;
  email: string;
}

/** A session to create. */
export interface NewSession {
  /** Base64url of the SHA-256 of the token. */
  tokenHash: string;
  userAgent: string;
}

/** The result of a sign-in: the user, or the reason to refuse it. */
export interface SignIn {
  user: SessionUser | null;
  /** Slug of the organization to open first. */
  organization: string | null;
  refusal: 'unknown' | 'expired' | null;
}

/** Operations on sessions. The context of each holds the session that the request sent, if any. */
export interface Sessions {
  /** Exchange the token of a sign-in link for a session, once. */
  signInWithLink(context: RequestContext, token: string, session: NewSession): Promise<SignIn>;
  /** Create a session for the user of a verified e-mail address. */
  signInWithEmail(context: RequestContext, user: Pick<SessionUser, 'name' | 'email'>, session: NewSession): Promise<SignIn>;
  /** The current session, or null. */
  find(context: RequestContext): Promise<{ user: SessionUser; expiresAt: string } | null>;
  signOut(context: RequestContext): Promise<void>;
}
