import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { log } from '../telemetry/index.ts';
import { wrapConnect } from './patches/pg.ts';

interface Transaction {
  /** False once it is committed or rolled back. */
  open: boolean;
  readonly onCommit: (() => void)[];
}

const current = new AsyncLocalStorage<Transaction>();

const isInTransaction = (): boolean => current.getStore()?.open === true;

type Body<A, T> = (argument: A) => Promise<T>;

/**
 * Runs `work` as the body of the transaction that `run` begins and commits. Operations that wait (pool, network, queue) throw inside it,
 * because a transaction holds a connection and locks that other requests need.
 */
export async function trackTransaction<A, T>(run: (body: Body<A, T>) => Promise<T>, work: Body<A, T>): Promise<T> {
  // A nested transaction is a savepoint of the outer one.
  if (isInTransaction()) return run(work);
  const transaction: Transaction = { open: true, onCommit: [] };
  try {
    const result = await run((argument) => current.run(transaction, work, argument));
    transaction.open = false;
    for (const callback of transaction.onCommit) callback();
    return result;
  } finally {
    transaction.open = false;
  }
}

/** Runs `work` in a transaction of a connection of the pool. An error closes the connection, which rolls back. */
export async function inTransaction<T>(pool: Pool, work: (connection: PoolClient) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  let isCommitted = false;
  try {
    return await trackTransaction(async (body: Body<PoolClient, T>) => {
      await connection.query('begin');
      const result = await body(connection);
      await connection.query('commit');
      isCommitted = true;
      return result;
    }, work);
  } finally {
    connection.release(!isCommitted);
  }
}

/** The longest pause before the second attempt; it grows with each. Without one, the same transactions would meet again. */
const [MAX_ATTEMPTS, PAUSE_MS] = [10, 10];

/** A transaction that must run again, because it would need a lock after others that come later in the order. */
export class LockOrderFault extends Error {
  override name = 'LockOrderFault';
  /** That of the deadlock that it prevents. */
  readonly code = '40P01';
}

// The driver has the SQLSTATE, also behind the exceptions of MikroORM.
const mayRunAgain = (error: unknown): boolean => (error as { code?: unknown }).code === '40P01';

/** Runs a whole transaction, and runs it again after a deadlock, which has rolled it back. */
export async function withDeadlockRetry<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!mayRunAgain(error) || attempt === MAX_ATTEMPTS) throw error;
      log.info({ attempt, reason: (error as Error).message }, 'A transaction was rolled back and runs again');
      await sleep(Math.random() * PAUSE_MS * attempt);
    }
  }
}

/** Calls `callback` after the current transaction commits, or immediately without one. A rollback discards it. */
export function afterCommit(callback: () => void): void {
  if (isInTransaction()) current.getStore()?.onCommit.push(callback);
  else callback();
}

/** Throws inside a transaction. Call it before waiting for anything but the connection of the transaction. */
export function forbidInTransaction(what: string): void {
  if (isInTransaction())
    throw new Error(`${what} must not be used inside a transaction, which would hold its connection meanwhile`);
}

/** Makes a pool reject a second connection inside a transaction: transactions that wait for one would deadlock the pool. */
export const guardPool = (pool: Pool): void =>
  wrapConnect(pool, (connect) => (callback) => {
    try {
      forbidInTransaction('A second connection');
    } catch (error) {
      return callback(error as Error, undefined, () => {});
    }
    connect(callback);
  });
