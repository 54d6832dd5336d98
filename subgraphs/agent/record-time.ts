import { query, sql } from '../../platform/database/index.ts';
import type { Scope } from '../../platform/scope/index.ts';

/**
 * The time of a new record or activity: distinct in milliseconds, and later than that of every committed record of its kind. Otherwise a
 * poller whose cursor has passed the time of a transaction that commits late would miss its record. The row lock lasts until the commit, so
 * take the time right before the record is written, and before its event is emitted.
 */
export async function nextRecordTime({ em, organizationId }: Scope, kind: 'lead' | 'submission' | 'ticket'): Promise<Date> {
  const [row] = await query(
    em,
    sql<{ last: string }>`
      insert into agent.record_times as t (organization_id, kind, last)
      values (${organizationId}, ${kind}, date_trunc('milliseconds', clock_timestamp()))
      on conflict (organization_id, kind) do update
        set last = greatest(date_trunc('milliseconds', clock_timestamp()), date_trunc('milliseconds', t.last) + interval '1 millisecond')
      returning last`,
  );
  return new Date(row!.last);
}
