import { query, readRows, sql } from '../../../platform/database/index.ts';
import { type ChangeLog, PAGE_SIZE, withRetry } from '../../../platform/progress/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { Source } from './entity.ts';
import type { SourceUpdate } from './types.ts';

const COUNTS = 'page_count, failed_page_count, page_total, staged_count, embedded_count, chunk_count';

/**
 * Appends the current state of a source to its log, which notifies subscribers on commit. The caller must have incremented `sequence` in
 * the same transaction.
 */
export async function appendChange(em: Scope['em'], sourceId: string): Promise<void> {
  await query(
    em,
    sql`insert into agent.source_changes (source_id, sequence, status, error, ${sql.raw(COUNTS)})
        select id, sequence, status, error, ${sql.raw(COUNTS)} from agent.sources where id = ${sourceId}`,
  );
}

const READ = `
  select c.source_id as "sourceId", c.sequence::float8 as sequence, c.status, c.error, c.page_count as "pageCount",
         c.failed_page_count as "failedPageCount", c.page_total as "pageTotal", c.staged_count as "stagedCount",
         c.embedded_count as "embeddedCount", c.chunk_count as "chunkCount", false as "isSnapshot"
    from agent.source_changes c join agent.sources s on s.id = c.source_id
   where c.source_id = $1 and s.organization_id = $2 and c.sequence > $3 and c.sequence <= $4 order by c.sequence limit ${PAGE_SIZE}`;

const isEnded = (status: string): boolean => status === 'ready' || status === 'failed';

const STATE_COLUMNS = ['status', 'sequence'] as const;

const RETAINED = `
  select from agent.source_changes c join agent.sources s on s.id = c.source_id
   where c.source_id = $1 and s.organization_id = $2 and c.sequence = $3 + 1`;

/** The changes of knowledge sources. A later run continues the numbers. */
export const sourceLog: ChangeLog<SourceUpdate, SourceUpdate> = {
  channel: 'source_changes',
  async read({ services, organizationId }, sourceId, after, upTo = Number.MAX_SAFE_INTEGER) {
    const { rows } = await services.pool.query<SourceUpdate>({
      name: 'source changes',
      text: READ,
      values: [sourceId, organizationId, after, upTo],
    });
    return rows;
  },
  /** The numbers of a source have no gaps, so a missing next change has expired. */
  async retains({ services, organizationId }, sourceId, after) {
    const { rowCount } = await services.pool.query(RETAINED, [sourceId, organizationId, after]);
    return rowCount === 1;
  },
  /** Keeps the last change of each status. */
  merge: (changes) => changes.filter(({ status }, at) => changes[at + 1]?.status !== status),
  isEnded,
  async hasEnded(scope, sourceId, seen) {
    const [source] = await readRows(scope, Source, { columns: STATE_COLUMNS, where: { id: sourceId } });
    return !source || (isEnded(source.status) && source.sequence <= seen);
  },
};

/** The state of a source at its latest change, which never expires, as an update. */
export async function* snapshotOf(scope: Scope, { id, sequence }: Source): AsyncGenerator<SourceUpdate, void, void> {
  const [state] = await withRetry(() => sourceLog.read(scope, id, sequence - 1, sequence));
  if (state) yield { ...state, isSnapshot: true };
}
