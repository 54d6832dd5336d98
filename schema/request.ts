import type { RequestContext } from 'compiled-gateway';

/** What a caller needs to be let in: a working key, membership of an organization, a plan. */
export interface Requirement {
  access: 'public' | 'user' | 'organization';
  plan?: 'growth';
}

/** The answer to who is calling and how much they may still call. Counted once per incoming request. */
export interface Admission {
  /** Requests a minute. */
  limit: number;
  remaining: number;
  /** When the window ends, in Unix seconds. */
  reset: number;
  /** Why the caller is refused, if so; a code of `errors.ts`. */
  refusal?: { code: string; message: string } | null;
}

export type Admit = (context: RequestContext, requirement: Requirement) => Promise<Admission>;
