import { fail } from '../../schema/errors.ts';
import type { Gate } from '../../schema/request.ts';
import { requireBalance } from '../credits/index.ts';
import type { RequestScope } from '../scope/index.ts';

/** The checks of what an organization must have paid for, in their order. Each throws an error with the status 402. */
export const gates: Readonly<Record<Gate, (scope: RequestScope) => void | Promise<void>>> = {
  tickets: (scope) => requireHelpdesk(scope, 'Tickets'),
  // A repeated request gets its stored response although the first one spent the last credits. The operation checks the others.
  async credits(scope) {
    if (scope.request.headers['idempotency-key'] === undefined) await requireBalance(scope);
  },
};

/** Throws `PLAN_REQUIRED` unless the organization has the Helpdesk module. */
export function requireHelpdesk({ organization }: RequestScope, subject: 'Tickets' | 'Handoffs'): void {
  if (!organization.modules.includes('helpdesk')) throw fail('PLAN_REQUIRED', `${subject} require the Helpdesk module.`);
}
