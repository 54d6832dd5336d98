import { fail } from '../../../schema/errors.ts';
import type { RequestScope } from '../../common/scope.ts';

/**
 * Binds the request to an organization in which the caller is an owner or admin; throws `FORBIDDEN` otherwise. `@Authorized` checks
 * only the organization of the request, and the caller's role may differ here.
 */
export function adminScope(scope: RequestScope, organizationId: string): RequestScope {
  const within = scope.within(organizationId);
  if (within.organization.role === 'member') throw fail('FORBIDDEN', 'This needs the role admin in the organization.');
  return within;
}

/** Throws `PLAN_REQUIRED` unless the organization has the Helpdesk module. */
export function requireHelpdesk({ organization }: RequestScope, subject: 'Tickets' | 'Handoffs'): void {
  if (!organization.modules.includes('helpdesk')) throw fail('PLAN_REQUIRED', `${subject} require the Helpdesk module.`);
}
