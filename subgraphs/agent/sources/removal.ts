import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { Source } from './entity.ts';

/** In the order in which the steps of an ingestion lock them, before the source. Another order would be a deadlock with a step. */
const CONTENT = ['agent.source_discoveries', 'agent.chunks', 'agent.source_pages', 'agent.staged_chunks'];

/** Deletes a source with its content, in the transaction of the scope. Returns false if it does not exist. */
export async function removeSource({ em }: Scope, id: string): Promise<boolean> {
  for (const table of CONTENT) await query(em, sql`delete from ${sql.table(table)} where source_id = ${id}`);
  return (await em.nativeDelete(Source, { id })) > 0;
}
