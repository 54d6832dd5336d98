import { Organization } from '../../../platform/identity/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';

/**
 * Binds the request to an organization in which the caller is an owner or admin; throws `FORBIDDEN` otherwise. `@Authorized` checks
 * only the organization of the request, and the caller's role may differ here.
 */
export function adminScope(scope: RequestScope, organizationId: string): RequestScope {
  const within = scope.within(organizationId);
  if (within.organization.role === 'member') throw fail('FORBIDDEN', 'This needs the role admin in the organization.');
  return within;
}

/** The modules of the organization, also for visitors, who are no members. */
export const modulesOf = async ({ em, organizationId }: Scope): Promise<Word<'Module'>[]> =>
  (await em.findOneOrFail(Organization, organizationId)).modules;
