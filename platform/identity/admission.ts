import type { RequestContext } from 'compiled-gateway';
import type { GraphQLError } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { fail } from '../../schema/errors.ts';
import { type Admission, type Gate, networkOf, type Requirement, type ToolAccess } from '../../schema/request.ts';
import { requireBalance } from '../credits/index.ts';
import type { Notifications } from '../queues/index.ts';
import { type Caller, type Access as OrganizationAccess, type RequestScope, requireUnbound } from '../scope/index.ts';
import { log } from '../telemetry/index.ts';
import type { Callers } from './callers.ts';
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

/** The properties of a request scope that identify the consumer of a stream. */
interface Reader {
  request: Pick<RequestContext, 'headers'>;
  who: Caller | GraphQLError;
  selected: OrganizationAccess | GraphQLError;
}

interface Stream {
  scope: Reader;
  /** The access of the caller at the start of the stream. */
  initial: OrganizationAccess | undefined;
  end(refusal: GraphQLError): void;
}

/** Milliseconds for which changes are batched, and between two checks for expired keys. */
const BATCH_DELAY = 500;
const CHECK_INTERVAL = 30_000;

/**
 * Ends streams of callers that lose access: the key is revoked, disabled or expired, or its user left the organization or got a lower
 * role. A notification of any such change triggers one query for the keys of all streams.
 */
export class StreamAccess {
  readonly #streams = new Set<Stream>();
  readonly #unlisten: () => void;
  readonly #timer: NodeJS.Timeout;
  #scheduled: NodeJS.Timeout | undefined;

  constructor(
    private readonly callers: Callers,
    notifications: Notifications,
  ) {
    this.#unlisten = notifications.on('identity', () => this.#schedule(BATCH_DELAY));
    this.#timer = setInterval(() => this.#schedule(0), CHECK_INTERVAL).unref();
  }

  /** Call `end` with the error when the caller of this scope loses access. Returns a function that stops watching. */
  watch(scope: Reader, end: Stream['end']): () => void {
    const stream = { scope, initial: scope.selected instanceof Error ? undefined : scope.selected, end };
    if (!(scope.who instanceof Error)) this.#streams.add(stream);
    return () => void this.#streams.delete(stream);
  }

  close(): void {
    this.#unlisten();
    clearInterval(this.#timer);
    clearTimeout(this.#scheduled);
  }

  #schedule(milliseconds: number): void {
    if (this.#streams.size === 0) return;
    this.#scheduled ??= setTimeout(() => {
      this.#scheduled = undefined;
      this.#check().catch((error: unknown) => {
        log.warn({ err: error }, 'Failed to read the keys of streams');
        this.#schedule(1_000);
      });
    }, milliseconds).unref();
  }

  async #check(): Promise<void> {
    const streams = [...this.#streams];
    const callers = await this.callers.identifyAll(streams.map(({ scope }) => scope.request.headers));
    for (const [place, stream] of streams.entries()) {
      const refusal = lossOf(callers[place]!, stream.initial);
      if (refusal) stream.end(refusal);
    }
  }
}

function lossOf(caller: Caller | GraphQLError, initial: OrganizationAccess | undefined): GraphQLError | undefined {
  if (caller instanceof Error) return caller;
  if (!initial) return undefined;
  const current = caller.organizations.find(({ id }) => id === initial.id);
  if (!current) return fail('NO_ACCESS', 'Invalid API Key');
  return rank[current.role] < rank[initial.role] ? fail('FORBIDDEN', 'The role in the organization was changed.') : undefined;
}
