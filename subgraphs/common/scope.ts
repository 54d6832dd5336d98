import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';
import type { Budget, RequestContext } from 'compiled-gateway';
import DataLoader from 'dataloader';
import { GraphQLError } from 'graphql';
import type { AuthCheckerInterface, ResolverData } from 'type-graphql';
import { fail } from '../../schema/errors.ts';
import type { Access, Caller } from './identity/callers.ts';
import { type Level, rank } from './identity/level.ts';
import { readRows } from './rows.ts';
import type { Services } from './services.ts';
import { trackTransaction } from './transactions.ts';

/** What an operation may touch: an entity manager bound to one organization, and the services of the process. */
export interface Scope {
  em: EntityManager;
  organizationId: string;
  services: Services;
  /** Comes when nobody waits for the answer any more. */
  signal?: AbortSignal;
  /** What may still be read for the answer. */
  budget?: Budget;
}

/** The same scope with nothing read yet: what is read next is what the database says now. Stays in the transaction, if there is one. */
export const fresh = ({ em, organizationId, services }: Scope): Scope => ({
  em: em.fork({ keepTransactionContext: true }),
  organizationId,
  services,
});

/** A scope of the same organization that outlives its caller: for reads whose result several callers wait for. */
export function detached({ organizationId, services }: Scope): Scope {
  // A fork of the caller's manager would inherit the caller's signal.
  const em = services.orm.em.fork() as EntityManager;
  em.setFilterParams('organization', { id: organizationId });
  return { em, organizationId, services };
}

/** Run `work` in one transaction, in a scope of the same organization. */
export function transaction<T>({ em, organizationId, services }: Scope, work: (scope: Scope) => Promise<T>): Promise<T> {
  return transactional(em, (inner) => work({ em: inner, organizationId, services }));
}

/** Run `work` in one transaction of an entity manager without a scope. */
export const transactional = <T>(em: EntityManager, work: (em: EntityManager) => Promise<T>): Promise<T> =>
  trackTransaction((body: typeof work) => em.transactional((inner) => body(inner as EntityManager)), work);

/** Takes part in the transaction of an operation; what it returns is the value of the operation. */
export type Settle = (scope: RequestScope, value: unknown) => Promise<unknown>;

/** The scope of one incoming request, made once and shared by every subgraph in the process. Resolvers get it as their context. */
export class RequestScope implements Scope {
  readonly #loaders = new Map<unknown, DataLoader<string, unknown>>();
  readonly #within = new Map<string, RequestScope>();
  #em?: EntityManager;
  #settle?: Settle;

  constructor(
    readonly services: Services,
    readonly request: RequestContext,
    readonly who: Caller | GraphQLError,
    /** The organization the request is about, or why there is none. */
    readonly selected: Access | GraphQLError,
  ) {}

  /** Made when it is first wanted: most requests only read rows. */
  get em(): EntityManager {
    if (this.#em) return this.#em;
    // Whoever waited is gone: the statement in hand is given up, and its transaction with it.
    const { signal } = this;
    this.#em = this.services.orm.em.fork(signal && { signal, inflightQueryAbortStrategy: 'cancel query' }) as EntityManager;
    if (!(this.selected instanceof Error)) this.#em.setFilterParams('organization', { id: this.selected.id });
    return this.#em;
  }

  get signal(): AbortSignal | undefined {
    return this.request.signal;
  }

  get budget(): Budget | undefined {
    return this.request.budget;
  }

  /** Throws why there is no caller. */
  get caller(): Caller {
    if (this.who instanceof Error) throw this.who;
    return this.who;
  }

  /** The organization the request is about. Throws why there is none. */
  get organization(): Access {
    if (this.selected instanceof Error) throw this.selected;
    return this.selected;
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

  /** The same request, whose `write` passes its value through `settle` in the transaction. */
  settledBy(settle: Settle): RequestScope {
    const scope = new RequestScope(this.services, this.request, this.who, this.selected);
    scope.#settle = settle;
    return scope;
  }

  /**
   * Runs all writes of an operation in one transaction, in a scope of the same request. An `Idempotency-Key` keeps the value that
   * `work` returns in the same transaction.
   */
  write<T>(work: (scope: RequestScope) => Promise<T>): Promise<T> {
    return transactional(this.em, async (em) => {
      const inner = new RequestScope(this.services, this.request, this.who, this.selected);
      inner.#em = em;
      const value = await work(inner);
      if (!this.#settle) return value;
      await em.flush();
      return (await this.#settle(inner, value)) as T;
    });
  }

  /** The row of this id, or null; all that are asked for in one turn are read by one query. */
  load<T extends { id: string }>(entity: EntityClass<T>, id: string): Promise<T | null> {
    return this.batch(entity, async (ids) => {
      const found = await readRows(this, entity as EntityClass<{ id: string }>, { where: { id: ids } });
      return new Map(found.map((each) => [each.id, each]));
    })(id) as Promise<T | null>;
  }

  /** A look-up by id that is answered for a whole page at once. `name` tells batches apart. */
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
    return (id) => loader.load(id);
  }
}

/** Makes the scope of a request, once: in-process subgraphs ask with the same context object. */
export function scopeFactory(services: Services): (request: RequestContext) => Promise<RequestScope> {
  const made = new WeakMap<RequestContext, Promise<RequestScope>>();
  return (request) => {
    const known = made.get(request);
    if (known) return known;
    const scope = makeScope(services, request);
    made.set(request, scope);
    return scope;
  };
}

async function makeScope(services: Services, request: RequestContext): Promise<RequestScope> {
  const who = await services.callers.identify(request.headers).catch((error: unknown) => {
    if (error instanceof GraphQLError) return error;
    throw error;
  });
  if (who instanceof Error) return new RequestScope(services, request, who, who);
  return new RequestScope(services, request, who, selectOrganization(who, request.headers['x-organization']));
}

/** The organization named by id or slug; without a name the one the key was made in, or the only one there is. */
function selectOrganization({ organizations, boundOrganizationId }: Caller, named: string | undefined): Access | GraphQLError {
  if (named !== undefined) {
    // The id first: a slug may have the form of an id, and whoever chose one must not draw another's requests.
    const found = organizations.find(({ id }) => id === named) ?? organizations.find(({ slug }) => slug === named);
    return found ?? fail('NO_ACCESS', 'Invalid API Key');
  }
  const only = organizations.length === 1 ? organizations[0] : undefined;
  if (organizations.length === 0) return fail('NO_ACCESS', 'Invalid API Key');
  const bound = organizations.find(({ id }) => id === boundOrganizationId) ?? only;
  return bound ?? fail('INVALID_INPUT', 'name an organization: this key is bound to none');
}

/** Decides whether a field may run: `@Authorized('admin')` above a resolver method says who may. */
export class Gatekeeper implements AuthCheckerInterface<RequestScope, Level> {
  check({ context: scope }: ResolverData<RequestScope>, [level = 'member']: Level[]): boolean {
    if (level === 'public') return true;
    const { operator } = scope.caller;
    if (operator !== (level === 'operator')) throw fail('FORBIDDEN', `This needs ${operator ? "a user's" : "an operator's"} key.`);
    if (level === 'user' || level === 'operator') return true;
    if (rank[scope.organization.role] >= rank[level]) return true;
    throw fail('FORBIDDEN', `This needs the role ${level} in the organization.`);
  }
}
