import { query, sql } from '../common/database.ts';
import type { Scope } from '../common/scope.ts';

/** Serialize transactions that lock the same name, until the commit. */
export async function lock({ em }: Scope, name: string): Promise<void> {
  await query(em, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/** Wait for `lock` of the same name, but not for other shared locks. */
export async function lockShared({ em }: Scope, name: string): Promise<void> {
  await query(em, sql`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`);
}
