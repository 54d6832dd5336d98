import type { GraphQLError } from 'graphql';
import type { EnumValue } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';

/** An organization from the view of a member. */
export interface Access {
  id: string;
  slug: string;
  name: string;
  role: EnumValue<'Role'>;
  plan: EnumValue<'Plan'>;
  modules: EnumValue<'Module'>[];
}

/** The user of a valid key or session, with the organizations of the user. */
export interface Caller {
  userId: string;
  name: string;
  email: string;
  /** The id of the key or the session. */
  keyId: string;
  /** The name of the key, or of what else sends the requests. */
  clientName: string;
  /** The organization that the key was created in; null when its user is no longer a member. */
  boundOrganizationId: string | null;
  /** Only that of the key if the key is bound to a workspace. */
  organizations: Access[];
  /** The workspace that the key is bound to, whose content is all that it reaches. */
  workspaceId: string | null;
  /** The MCP tools that the key may call. */
  toolGroups: EnumValue<'ToolGroup'>[];
  /** Whether this is an operator key, which may change accounts but has access to no organization. */
  operator: boolean;
  /** The session of a user who signed in to the dashboard instead of sending a key. */
  sessionId?: string;
  /** Whether this is an agent, which reaches only the fields of the level `agent`. */
  isAgent?: boolean;
}

/** Select the organization by id or slug. The default is the organization of the key, or the only one of the caller. */
export function selectOrganization(caller: Caller, idOrSlug: string | undefined): Access | GraphQLError {
  const { organizations, boundOrganizationId, sessionId } = caller;
  const noAccess = () =>
    fail('NO_ACCESS', sessionId ? 'You are not a member of this organization, or it does not exist.' : 'Invalid API Key');
  if (idOrSlug !== undefined) {
    // Match ids first: a slug in the form of an id must not receive the requests of another organization.
    const found = organizations.find(({ id }) => id === idOrSlug) ?? organizations.find(({ slug }) => slug === idOrSlug);
    return found ?? noAccess();
  }
  const only = organizations.length === 1 ? organizations[0] : undefined;
  if (organizations.length === 0) return noAccess();
  const bound = organizations.find(({ id }) => id === boundOrganizationId) ?? only;
  return bound ?? fail('INVALID_INPUT', `name an organization: this ${sessionId ? 'session' : 'key'} is bound to none`);
}
