import { getMetadataStorage } from 'type-graphql';
import { fail } from '../../schema/errors.ts';
import type { Admission, Gate, Requirement, ToolAccess } from '../../schema/request.ts';
import { networkOf } from '../../schema/request.ts';
import { requireBalance } from '../credits/index.ts';
import { type RequestScope, requireUnbound } from '../scope/index.ts';
import { type Level, rank } from './entity.ts';

/**
 * Count a request against the limit of its caller and check whether the caller is admitted. Unauthenticated requests count against their
 * address, so that keys cannot be guessed without a limit. Returns a refusal instead of throwing it, because the response needs the counts.
 */
export async function admit(scope: RequestScope, requirement: Requirement): Promise<Admission> {
  const refusal = await refusalOf(check(scope, requirement));
  const { allowed, limit, remaining, reset } = await limitOf(scope, requirement).count(counterOf(scope), requirement.points);
  const { selected, who } = scope;
  const organizationId = selected instanceof Error ? null : selected.id;
  const { userId, clientName } = who instanceof Error ? { userId: null, clientName: null } : who;
  const counts = { limit, remaining, reset, organizationId, userId, clientName };
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

/** Declares the level that the operations of a resolver class require, unless they have their own by `@Authorized`. Field resolvers have none. */
export const Access =
  (level: Level): ClassDecorator =>
  (target) => {
    const storage = getMetadataStorage();
    const hasOwn = (name: string) => storage.authorizedFields.some((each) => each.target === target && each.fieldName === name);
    for (const { target: owner, methodName } of [...storage.queries, ...storage.mutations, ...storage.subscriptions])
      if (owner === target && !hasOwn(methodName))
        storage.collectAuthorizedFieldMetadata({ target, fieldName: methodName, roles: [level] });
  };

/**
 * Authorizes the fields of a subgraph: `@Access` on a resolver class or `@Authorized` on a method declares the required level.
 * @param hasWorkspaces whether keys that are bound to a workspace reach the subgraph
 */
export function gatekeeper(hasWorkspaces: boolean) {
  return (scope: RequestScope, [level = 'member']: readonly Level[]): true => {
    if (level === 'public') return true;
    const { operator, isAgent = false } = scope.caller;
    if (isAgent && level !== 'agent') throw fail('FORBIDDEN', 'Agents cannot use this.');
    if (operator !== (level === 'operator')) throw fail('FORBIDDEN', `This needs ${operator ? "a user's" : "an operator's"} key.`);
    if (!hasWorkspaces) requireUnbound(scope);
    if (level === 'user' || level === 'operator') return true;
    if (rank[scope.organization.role] >= rank[level === 'agent' ? 'member' : level]) return true;
    throw fail('FORBIDDEN', `This needs the role ${level} in the organization.`);
  };
}

/** The checks of what an organization must have paid for, in their order. Each throws an error with the status 402. */
const gates: Readonly<Record<Gate, (scope: RequestScope) => void | Promise<void>>> = {
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
