import { fail } from '../../../schema/errors.ts';
import type { RequestScope } from '../../common/scope.ts';

/**
 * The same request for an organization whose prompts the caller may read. `@Authorized` asks about the organization the request
 * names, and the caller may be less in this one.
 */
export function adminScope(scope: RequestScope, organizationId: string): RequestScope {
  const within = scope.within(organizationId);
  if (within.organization.role === 'member') throw fail('FORBIDDEN', 'This needs the role admin in the organization.');
  return within;
}
