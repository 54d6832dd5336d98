/** The visitor that the site of an agent has signed in. */
export interface Identity {
  subject: string;
  email: string | null;
  name: string | null;
  /** The further claims of the token, which tools use as `{{visitor.claims.x}}`. */
  claims: Record<string, unknown>;
  /** Milliseconds since 1970. */
  expiresAt: number;
}
