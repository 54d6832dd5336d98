/** The scope of an operation: its caller, its organization, the entity manager bound to it, and its transactions. Service functions take it first. */

import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';
import type { Budget, RequestContext } from 'compiled-gateway';
import DataLoader from 'dataloader';
import { GraphQLError } from 'graphql';
import type { EnumValue } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';
import { canonicalId, hideFromVisitor, lockName, readRows, setActor, trackTransaction } from '../database/index.ts';
import type { Services } from '../subgraph/index.ts';

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
function selectOrganization(caller: Caller, idOrSlug: string | undefined): Access | GraphQLError {
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

/** The context of an operation: an entity manager bound to one organization, and the services of the process. */
export interface Scope {
  em: EntityManager;
  organizationId: string;
  /** The only workspace that the key may reach; absent or null if the key is not bound to one. */
  workspaceId?: string | null;
  services: Services;
  /** Aborts when the caller no longer waits for the response. */
  signal?: AbortSignal;
  /** Size limit of the response. */
  budget?: Budget;
}

/** A copy of the scope with an empty identity map, so that reads return current data. Stays in the current transaction. */
export const fresh = ({ em, organizationId, workspaceId, services }: Scope): Scope => ({
  em: em.fork({ keepTransactionContext: true }),
  organizationId,
  workspaceId,
  services,
});

/** A scope of an organization without the signal of a caller, for work that outlives the caller or that several callers share. */
export function detached({ organizationId, services }: Pick<Scope, 'organizationId' | 'services'>): Scope {
  // A fork of the caller's entity manager would inherit the signal.
  const em = services.orm.em.fork() as EntityManager;
  em.setFilterParams('organization', { id: organizationId });
  return { em, organizationId, services };
}

/** A scope of an organization for a caller who is no member of it, such as a visitor. It ends with the request. */
export function visiting({ services, signal, budget }: RequestScope, organizationId: string): Scope {
  const em = forkUntil(services, signal);
  em.setFilterParams('organization', { id: organizationId });
  return { em, organizationId, services, signal, budget };
}

/** When the caller disconnects, cancel the current statement and its transaction. */
const forkUntil = ({ orm }: Services, signal?: AbortSignal): EntityManager =>
  orm.em.fork(signal && { signal, inflightQueryAbortStrategy: 'cancel query' }) as EntityManager;

/** Run `work` in one transaction, in a scope of the same organization. */
export function transaction<T>(scope: Scope, work: (scope: Scope) => Promise<T>): Promise<T> {
  const { organizationId, workspaceId, services } = scope;
  return transactional(scope.em, (em) => work({ em, organizationId, workspaceId, services }));
}

/** Run `work` in one transaction of an entity manager without a scope. */
export const transactional = <T>(em: EntityManager, work: (em: EntityManager) => Promise<T>): Promise<T> =>
  trackTransaction((body: typeof work) => em.transactional((inner) => body(inner as EntityManager)), work);

/** Runs at the end of the transaction of an operation. Returns the value of the operation. */
export type StoreResult = (scope: Pick<Scope, 'em'>, value: unknown) => Promise<unknown>;

/** Runs the writes of an operation once per `Idempotency-Key` of an owner, who is no member of the organization. */
type RunOnce = (
  organizationId: string,
  owner: readonly string[],
  write: (storeResult: StoreResult) => Promise<unknown>,
) => Promise<unknown>;

/** The scope of one incoming request, shared by all subgraphs in the process. Resolvers receive it as their context. */
export class RequestScope implements Scope {
  readonly #loaders = new Map<unknown, DataLoader<string, unknown>>();
  readonly #within = new Map<string, RequestScope>();
  #em?: EntityManager;
  #storeResult?: StoreResult;
  #runOnce?: RunOnce;

  constructor(
    readonly services: Services,
    readonly request: RequestContext,
    readonly who: Caller | GraphQLError,
    /** The organization of the request, or the error when there is none. */
    readonly selected: Access | GraphQLError,
  ) {}

  /** Created on first use, because most requests only read rows. */
  get em(): EntityManager {
    if (this.#em) return this.#em;
    this.#em = forkUntil(this.services, this.signal);
    if (!(this.selected instanceof Error)) this.#em.setFilterParams('organization', { id: this.selected.id });
    if (this.workspaceId) this.#em.setFilterParams('workspace', { id: this.workspaceId });
    if (!(this.who instanceof Error)) setActor(this.#em, this.who);
    return this.#em;
  }

  get signal(): AbortSignal | undefined {
    return this.request.signal;
  }

  get budget(): Budget | undefined {
    return this.request.budget;
  }

  /** The authenticated caller. Throws the authentication error when there is none. */
  get caller(): Caller {
    if (this.who instanceof Error) throw this.who;
    return this.who;
  }

  /** The organization of the request. Throws the error when there is none. */
  get organization(): Access {
    if (this.selected instanceof Error) throw this.selected;
    return this.selected;
  }

  get workspaceId(): string | null {
    return this.who instanceof Error ? null : this.who.workspaceId;
  }

  get organizationId(): string {
    return this.organization.id;
  }

  /** The same request for another organization of the caller. Throws `NO_ACCESS` when the caller is no member of it. */
  within(organizationId: string): RequestScope {
    if (!(this.selected instanceof Error) && this.selected.id === organizationId) return this;
    const known = this.#within.get(organizationId);
    if (known) return known;
    const scope = new RequestScope(this.services, this.request, this.who, selectOrganization(this.caller, organizationId));
    this.#within.set(organizationId, scope);
    return scope;
  }

  /** Whether `write` stores its value in the same transaction. */
  get storesResult(): boolean {
    return this.#storeResult !== undefined;
  }

  /** The same request with a `write` that calls `storeResult` in its transaction. */
  withStoreResult(storeResult: StoreResult): RequestScope {
    const scope = this.#copy();
    scope.#storeResult = storeResult;
    return scope;
  }

  /** The same request with a `writeWithin` that runs once per `Idempotency-Key`. */
  withRunOnce(once: RunOnce): RequestScope {
    const scope = this.#copy();
    scope.#runOnce = once;
    return scope;
  }

  #copy(): RequestScope {
    return new RequestScope(this.services, this.request, this.who, this.selected);
  }

  /**
   * Run all writes of an operation in one transaction, in a scope of the same request. With an `Idempotency-Key`, the same transaction
   * stores the value that `work` returns.
   */
  write<T>(work: (scope: RequestScope) => Promise<T>): Promise<T> {
    return transactional(this.em, async (em) => {
      const inner = this.#copy();
      inner.#em = em;
      const value = await work(inner);
      if (!this.#storeResult) return value;
      await em.flush();
      return (await this.#storeResult(inner, value)) as T;
    });
  }

  /**
   * Run all writes of a caller who is no member, such as a visitor, in one transaction of the scope `within`. With an `Idempotency-Key`,
   * the same transaction stores the value that `work` returns. `owner` identifies the caller, and is null if nothing does.
   */
  writeWithin<T>(within: Scope, owner: readonly string[] | null, work: (inner: Scope) => Promise<T>): Promise<T> {
    if (!this.#runOnce) return transaction(within, work).catch(hideFromVisitor);
    // Two callers without an id could send the same key.
    if (!owner) throw fail('INVALID_INPUT', 'Idempotency-Key needs the id of a visitor');
    return this.#runOnce(within.organizationId, owner, (storeResult) =>
      transaction(within, async (inner) => storeResult(inner, await work(inner))),
    ).catch(hideFromVisitor) as Promise<T>;
  }

  /** Read the row of this id, or null. Batches all ids of one tick into one query. */
  load<T extends { id: string }>(entity: EntityClass<T>, id: string): Promise<T | null> {
    return this.batch(entity, async (ids) => {
      const found = await readRows(this, entity as EntityClass<{ id: string }>, { where: { id: ids } });
      return new Map(found.map((each) => [each.id, each]));
    })(id) as Promise<T | null>;
  }

  /** A lookup by id that batches all ids of one tick into one call of `read`. `name` identifies the batch. Ids may be in upper case. */
  batch<V>(name: unknown, read: (ids: string[]) => Promise<Map<string, V>>): (id: string) => Promise<V | null> {
    let loader = this.#loaders.get(name) as DataLoader<string, V | null> | undefined;
    if (!loader) {
      loader = new DataLoader<string, V | null>(
        async (ids) => {
          const found = await read([...new Set(ids)]);
          return ids.map((id) => found.get(id) ?? null);
        },
        { cache: false },
      );
      this.#loaders.set(name, loader as DataLoader<string, unknown>);
    }
    return (id) => loader.load(canonicalId(id));
  }
}

/** Throws `FORBIDDEN` if the key is bound to a workspace. Subgraphs without workspaces call it before they resolve anything. */
export function requireUnbound({ workspaceId }: Scope): void {
  if (workspaceId) throw fail('FORBIDDEN', 'This key is bound to a workspace and cannot be used for this.');
}

/** Milliseconds that a scope is reused. A body may arrive minutes after its admission, and the key be revoked meanwhile. */
const MAX_AGE = 2_000;

/** Creates the scope of a request. In-process subgraphs share it by the context object. */
export function scopeFactory(services: Services): (request: RequestContext) => Promise<RequestScope> {
  const cache = new WeakMap<RequestContext, { createdAt: number; scope: Promise<RequestScope> }>();
  return (request) => {
    const cached = cache.get(request);
    const now = performance.now();
    if (cached && now - cached.createdAt < MAX_AGE) return cached.scope;
    const scope = createScope(services, request);
    cache.set(request, { createdAt: now, scope });
    return scope;
  };
}

async function createScope(services: Services, request: RequestContext): Promise<RequestScope> {
  const who = await services.callers.identify(request.headers).catch((error: unknown) => {
    if (error instanceof GraphQLError) return error;
    throw error;
  });
  if (who instanceof Error) return new RequestScope(services, request, who, who);
  return new RequestScope(services, request, who, selectOrganization(who, request.headers['x-organization']));
}

/**
 * Serialize changes of site content within an organization, as the triggers that number them do. Take it before the rows, to avoid
 * deadlocks.
 */
export const lockContent = ({ em, organizationId }: Pick<Scope, 'em' | 'organizationId'>): Promise<void> =>
  lockName(em, `site content of ${organizationId}`);
