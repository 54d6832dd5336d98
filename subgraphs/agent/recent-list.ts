import { type Bind, query, type Rows, readRows, sql } from '../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../platform/scope/index.ts';
import { Agent } from './agents/entity.ts';
import { findAgent } from './agents/service.ts';
import { DEFAULT_LIMIT, type RecentArguments } from './recent-arguments.ts';

interface Recent<T extends object> extends Omit<Rows<T>, 'matching'> {
  /** Column that `since` and `before` apply to. */
  time?: 'created_at' | 'last_activity_at';
  conditions?: (bind: Bind) => string[];
}

/**
 * Read the newest records, newest first. With `since`, read the first records from that time on, in the same order. A poller that advances
 * `since` to the newest record of each response then misses none after a burst. Throws `NOT_FOUND` for an unknown agent.
 */
export async function readRecent<T extends { agentId: string }>(
  scope: Scope,
  entity: Parameters<typeof readRows<T>>[1],
  { time = 'created_at', conditions = () => [], where, ...rows }: Recent<T>,
  { agentId, since, before, limit }: RecentArguments,
): Promise<T[]> {
  if (agentId) await findAgent(scope, agentId);
  const direction = since ? 'asc' : 'desc';
  const ordering = `r.${time} ${direction}, r.id ${direction}`;
  const matching = (bind: Bind) => {
    const from = since ? [`r.${time} >= ${bind(since)}`] : [];
    const to = before ? [`r.${time} < ${bind(before)}`] : [];
    return ['true', ...from, ...to, ...conditions(bind)].join(' and ');
  };
  const filter = { ...where, ...(agentId && { agentId }) } as Rows<T>['where'];
  const found = await readRows(
    scope,
    entity,
    { ...rows, where: filter, matching, ordering },
    { limit: limit ?? DEFAULT_LIMIT, offset: 0 },
  );
  return since ? found.reverse() : found;
}

/** The current name of the agent of a record, or the last known name of a deleted one. Batches a list into one query. */
export const agentNameOf = async (scope: RequestScope, record: { agentId: string; agentName: string }): Promise<string> =>
  (await scope.load(Agent, record.agentId))?.name ?? record.agentName;

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
