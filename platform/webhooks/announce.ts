import type { Pool } from 'pg';
import { afterCommit } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';

/** Milliseconds within which the deliveries of a process are announced together. */
const DELAY = 20;
/** The commit does not wait for the disk, because a notifying one delays all others of the server. */
const NOTIFY = `select set_config('synchronous_commit', 'off', true), pg_notify('webhook_deliveries', '')`;

const announced = new WeakSet<Pool>();

/**
 * Notify the deliverers of new deliveries after the transaction commits. They poll every few seconds, so an announcement that a crash loses
 * delays the deliveries.
 */
export function announce({ services: { pool } }: Scope): void {
  afterCommit(() => {
    if (announced.has(pool)) return;
    announced.add(pool);
    setTimeout(() => {
      announced.delete(pool);
      pool.query(NOTIFY).catch(() => {});
    }, DELAY);
  });
}
