import type { RequestContext } from 'compiled-gateway';
import ipaddr from 'ipaddr.js';
import type { EnumValue } from './enums.ts';

/** The header with the identity token of a visitor, which the site of the widget signs. */
export const IDENTITY_HEADER = 'x-identity-token';

/** A module or credits without which an operation is refused with the status 402. */
export type Gate = 'tickets' | 'credits';

/**
 * The access that an operation requires of its caller. All of it is checked before the body is read, so that the statuses 401, 403 and 402
 * come before 400.
 */
export interface Requirement {
  access: 'public' | 'user' | 'organization';
  /** The role in the organization. Without it, only the membership is checked. */
  level?: 'member' | 'admin';
  /** Whether keys that are bound to a workspace have the level, too. */
  workspaces?: true;
  plan?: 'growth';
  gates?: readonly Gate[];
  /** The limit of authenticated callers that the request counts against. Default: requests. */
  counter?: 'graphql';
  /** Points to count; default 1. 0 checks the access only. */
  points?: number;
}

/** The result of authentication and rate limiting, counted once per incoming request. */
export interface Admission {
  /** Requests per minute. */
  limit: number;
  remaining: number;
  /** End of the window, in Unix seconds. */
  reset: number;
  /** The error when the caller is refused; `code` is one of `errors.ts`. */
  refusal?: { code: string; message: string } | null;
  /** The organization of the request, for the log. Null if it has none. */
  organizationId?: string | null;
  /** The user of the request, or the agent. Null without a valid credential. */
  userId?: string | null;
  /** The name of the key of the request, or of what else sends it. Null without a valid credential. */
  clientName?: string | null;
}

export type Admit = (context: RequestContext, requirement: Requirement) => Promise<Admission>;

/** Whether a caller may call an MCP tool, for a request that has been counted already. */
export interface ToolAccess extends Pick<Admission, 'refusal'> {
  groups: EnumValue<'ToolGroup'>[];
}

export type FindToolAccess = (context: RequestContext, requirement: Requirement) => Promise<ToolAccess>;

/** Whether a URL names this machine. */
export const isThisMachine = (url: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);

/**
 * The rate limit key of requests without an API key: an IPv4 address, also when it is mapped into IPv6, or the /64 prefix of an IPv6
 * address. Providers assign at least a /64 to each customer.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** An uploaded file, as its sender declares it. */
export interface IncomingFile {
  name: string;
  /** The declared MIME type. */
  type: string;
  /** Size of the content. */
  bytes: number;
  content: AsyncIterable<Uint8Array>;
}

/**
 * Stores the content of uploads; the graph itself only sees their ids. A stored file belongs to the organization of the request and
 * is a draft until a mutation uses it.
 */
export interface FileStore {
  /** Store a file and return its id. Stores nothing when it throws. */
  keep(file: IncomingFile, context: RequestContext): Promise<string>;
  /** Delete drafts that no mutation used. */
  discard(ids: readonly string[], context: RequestContext): Promise<void>;
}

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
interface SessionUser {
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
