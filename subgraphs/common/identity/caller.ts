import type { Word } from '../../../schema/words.ts';

/** An organization from the view of a member. */
export interface Access {
  id: string;
  slug: string;
  name: string;
  role: Word<'Role'>;
  plan: Word<'Plan'>;
  modules: Word<'Module'>[];
}

/** The user of a valid key or session, with the organizations of the user. */
export interface Caller {
  userId: string;
  name: string;
  email: string;
  /** The id of the key or the session. */
  keyId: string;
  /** The organization that the key was created in; null when its user is no longer a member. */
  boundOrganizationId: string | null;
  organizations: Access[];
  /** The MCP tools that the key may call. */
  toolGroups: Word<'ToolGroup'>[];
  /** Whether this is an operator key, which may change accounts but has access to no organization. */
  operator: boolean;
  /** The session of a user who signed in to the dashboard instead of sending a key. */
  sessionId?: string;
  /** Whether this is an agent, which reaches only the fields of the level `agent`. */
  isAgent?: boolean;
}
