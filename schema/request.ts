import type { RequestContext } from 'compiled-gateway';
import type { Word } from './words.ts';

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
}

export type Admit = (context: RequestContext, requirement: Requirement) => Promise<Admission>;

/** Whether a caller may call an MCP tool, for a request that has been counted already. */
export interface ToolAccess extends Pick<Admission, 'refusal'> {
  groups: Word<'ToolGroup'>[];
}

export type FindToolAccess = (context: RequestContext, requirement: Requirement) => Promise<ToolAccess>;
