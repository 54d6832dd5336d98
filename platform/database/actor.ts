import type { EntityManager, EventSubscriber, TransactionEventArgs } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { Caller } from '../scope/index.ts';

/** The author of the changes of a transaction, for the audit log. */
interface Actor {
  actor: 'user' | 'operator';
  user: string | null;
  key: string | null;
  session: string | null;
}

const PARAMETER = 'actor';

/** Attribute all later changes of an entity manager and its forks to a caller. Without an actor, the system made them. */
export function setActor(em: EntityManager, { userId, keyId, sessionId, operator, isAgent }: Caller): void {
  if (isAgent) return;
  const isPerson = !operator;
  const actor: Actor = {
    actor: isPerson ? 'user' : 'operator',
    // Organizations do not learn who an operator is.
    user: isPerson ? userId : null,
    key: isPerson && !sessionId ? keyId : null,
    session: sessionId ?? null,
  };
  em.setFilterParams(PARAMETER, actor);
}

/** Attribute the later changes of the current transaction to the user for whom a job works. */
export async function actFor(em: EntityManager, userId: string): Promise<void> {
  const actor: Actor = { actor: 'user', user: userId, key: null, session: null };
  await setInTransaction(em.getKysely() as Kysely<unknown>, JSON.stringify(actor));
}

const setInTransaction = (transaction: Kysely<unknown>, actor: string) =>
  sql`select set_config('audit.actor', ${actor}, true)`.execute(transaction);

/** The author of the changes of an entity manager as JSON; undefined if the system makes them. */
export function actorOf(em: EntityManager): string | undefined {
  const actor = em.getFilterParams<Actor | never>(PARAMETER);
  return actor && JSON.stringify(actor);
}

/** Tells PostgreSQL at the start of a transaction who makes its changes. Triggers record it with them. */
export class ActorSubscriber implements EventSubscriber {
  async afterTransactionStart({ em, transaction }: TransactionEventArgs): Promise<void> {
    const actor = actorOf(em as EntityManager);
    // A savepoint inherits the setting of its transaction.
    if (!actor || !transaction || 'savepointName' in transaction) return;
    await setInTransaction(transaction as Kysely<unknown>, actor);
  }
}
