import type { GraphQLError } from 'graphql';
import { fail } from '../../../schema/errors.ts';
import type { Access, Caller } from './caller.ts';

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
