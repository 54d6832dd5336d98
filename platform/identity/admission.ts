import { fail } from '../../schema/errors.ts';
import { networkOf } from '../../schema/network.ts';
import type { Admission, Gate, Requirement, ToolAccess } from '../../schema/request.ts';
import type { RequestScope } from '../scope/index.ts';
import { gatekeeper } from './gatekeeper.ts';
import { gates } from './gates.ts';

/**
 * Count a request against the limit of its caller and check whether the caller is admitted. Unauthenticated requests count against their
 * address, so that keys cannot be guessed without a limit. Returns a refusal instead of throwing it, because the response needs the counts.
 */
export async function admit(scope: RequestScope, requirement: Requirement): Promise<Admission> {
  const refusal = await refusalOf(check(scope, requirement));
  const { allowed, limit, remaining, reset } = await limitOf(scope, requirement).count(counterOf(scope), requirement.points);
  const { selected, who } = scope;
  const organizationId = selected instanceof Error ? null : selected.id;
  const counts = { limit, remaining, reset, organizationId, userId: who instanceof Error ? null : who.userId };
  return { ...counts, refusal: allowed ? refusal : { code: 'RATE_LIMITED', message: 'Rate limit exceeded' } };
}

/** The tool groups of the caller, and whether it meets a requirement. Does not count, because the request has been counted already. */
export async function toolAccess(scope: RequestScope, requirement: Requirement): Promise<ToolAccess> {
  const own = scope.who instanceof Error ? [] : scope.who.toolGroups;
  const groups = scope.workspaceId ? own.filter((group) => group.startsWith('site-content-')) : own;
  return { groups, refusal: await refusalOf(check(scope, requirement)) };
}

const authorize = { bound: gatekeeper(true), unbound: gatekeeper(false) };

/** Identity first, then the role, then what the organization has paid for. */
async function check(scope: RequestScope, requirement: Requirement): Promise<void> {
  const { access, level, workspaces, plan, counter, gates: required } = requirement;
  if (access === 'public') return void (scope.who instanceof Error && scope.who.extensions.code !== 'MISSING_KEY' && scope.caller);
  if (access === 'user') return void scope.caller;
  // Over GraphQL, the refusal is that of the fields.
  if (level && counter === 'graphql') return void authorize.bound(scope, [level]);
  const { plan: has } = scope.organization;
  if (level) authorize[workspaces ? 'bound' : 'unbound'](scope, [level]);
  if (plan === 'growth' && has === 'free') throw fail('PLAN_REQUIRED', 'The integration API needs the Growth plan or above.');
  for (const [name, pass] of Object.entries(gates)) if (required?.includes(name as Gate)) await pass(scope);
}

async function refusalOf(checked: Promise<void>): Promise<Admission['refusal']> {
  try {
    await checked;
    return null;
  } catch (error) {
    const { extensions, message } = error as ReturnType<typeof fail>;
    return { code: String(extensions.code), message };
  }
}

/** Callers without a key always count as requests, so that keys cannot be guessed faster over GraphQL. */
const limitOf = ({ who, services }: RequestScope, { counter }: Requirement) =>
  counter === 'graphql' && !(who instanceof Error) ? services.graphqlLimit : services.rateLimit;

const counterOf = ({ who, request }: RequestScope) =>
  who instanceof Error ? `address:${networkOf(request.headers['x-client-address'])}` : `key:${who.keyId}`;
