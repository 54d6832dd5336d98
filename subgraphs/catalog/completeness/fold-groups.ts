import type { Pool } from 'pg';
import { inTransaction } from '../../../platform/database/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { changedGroups, compare, expected, WHOLE } from './expected-values.ts';

/** Groups of a transaction, and organizations of a statement. */
const [GROUPS, ORGANIZATIONS] = [5_000, 100];

/**
 * Only the sweep writes slot 0 and the levels, for an organization one after the other. A deletion of the organization waits, or
 * goes first, because the two would lock groups and the organization in different orders.
 */
const LOCK = `
  select pg_advisory_xact_lock(hashtextextended('filled groups of ' || id, 0)) from identity.organizations where id = $1 for key share`;

/**
 * Adds slots up in slot 0, and gives the groups whose completeness no longer holds their present one. It skips a slot that a transaction is changing, so it
 * waits for no writer.
 */
const FOLD = `
  with ${expected('$1')},
  chosen as (
    select category, shape, slot from catalog.filled_groups where organization_id = $1 and slot > 0 order by category, shape limit ${GROUPS}
       for update skip locked),
  gone as (
    delete from catalog.filled_groups g using chosen c
     where g.organization_id = $1 and (g.category, g.shape, g.slot) = (c.category, c.shape, c.slot) returning g.*),
  changed as materialized (
    (select category, shape, slugs, 0 as count from (${changedGroups('$1', 'slot = 0', 'category, shape, slugs')}) c limit ${GROUPS})
    union all select category, shape, slugs, count from gone),
  ${compare('select * from changed')},
  folded as (
    insert into catalog.filled_groups as g (organization_id, category, shape, slot, slugs, count, expectations, filled, expected, filled_required, expected_required)
    select $1, category, shape, 0, slugs, count, (select hash from current), filled, expected, filled_required, expected_required from groups
    on conflict (organization_id, category, shape, slot) do update set count = g.count + excluded.count, expectations = excluded.expectations,
      filled = excluded.filled, expected = excluded.expected, filled_required = excluded.filled_required, expected_required = excluded.expected_required)
  select count(*)::int as count, coalesce(array_agg(distinct category), '{}') as categories from changed`;

/** Each change of the attributes that have values can leave a group without products. */
const FORGET_EMPTY =
  'delete from catalog.filled_groups where organization_id = $1 and category = any($2::uuid[]) and slot = 0 and count = 0';

const FORGET_LEVELS = `delete from catalog.completeness_levels where organization_id = $1 and (category = any($2::uuid[]) or category = '${WHOLE}')`;
const LEVEL = 'expectations, filled, expected, filled_required, expected_required';
const addLevels = (category: string, rows: string) => `
  insert into catalog.completeness_levels (organization_id, category, count, ${LEVEL})
  select organization_id, ${category}, sum(count), ${LEVEL} from ${rows} group by organization_id, ${category}, ${LEVEL}`;
const ADD_LEVELS = addLevels(
  'category',
  'catalog.filled_groups where organization_id = $1 and category = any($2::uuid[]) and slot = 0',
);
const ADD_WHOLE = addLevels(`'${WHOLE}'::uuid`, 'catalog.completeness_levels where organization_id = $1');

/** Returns whether the organization has more groups to add up. */
const foldSome = (pool: Pool, organizationId: string): Promise<boolean> =>
  inTransaction(pool, async (connection) => {
    const { rowCount: isFound } = await connection.query(LOCK, [organizationId]);
    if (!isFound) return false;
    const { rows } = await connection.query<{ count: number; categories: string[] }>(FOLD, [organizationId]);
    const { count, categories } = rows[0]!;
    if (count === 0) return false;
    for (const statement of [FORGET_EMPTY, FORGET_LEVELS, ADD_LEVELS])
      await connection.query(statement, [organizationId, categories]);
    await connection.query(ADD_WHOLE, [organizationId]);
    return count >= GROUPS;
  });

/** Folds the groups of organizations in turns until none has more, or until a time of `performance.now()`. One that fails does not stop the others. */
async function foldInTurns(pool: Pool, organizationIds: readonly string[], end: number): Promise<void> {
  let due = organizationIds;
  while (due.length > 0 && performance.now() < end) {
    const more: string[] = [];
    for (const organizationId of due) {
      if (performance.now() >= end) return;
      const hasMore = await foldSome(pool, organizationId).catch((err: unknown) => {
        log.warn({ err, organizationId }, 'Failed to add the groups of a catalog up');
        return false;
      });
      if (hasMore) more.push(organizationId);
    }
    due = more;
  }
}

const [LOWEST, HIGHEST] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/**
 * The ids of organizations with rows, a hundred at a time, until a time of `performance.now()`. Begins at any of them, so that each has its turn when the time
 * does not suffice for all.
 * @param rows SQL of a table and a condition
 */
export async function* organizationsWith(pool: Pool, rows: string, end: number): AsyncGenerator<string[]> {
  const select = `select distinct organization_id as id from ${rows}`;
  const read = async (text: string, values?: string[]) => (await pool.query<{ id: string }>(text, values)).rows.map(({ id }) => id);
  const [start = HIGHEST] = await read(`select id from (${select}) o order by random() limit 1`);
  for (const [first, last] of [
    [start, HIGHEST],
    [LOWEST, start],
  ] as const) {
    let after: string | undefined = first;
    while (after && performance.now() < end) {
      const ids = await read(`${select} and organization_id > $1 and organization_id <= $2 order by 1 limit ${ORGANIZATIONS}`, [
        after,
        last,
      ]);
      if (ids.length > 0) yield ids;
      after = ids.at(-1);
    }
  }
}

/** Adds the slots of filled groups up, until a time of `performance.now()`, and refreshes the completeness of these organizations. Safe to run concurrently. */
export async function foldGroups(pool: Pool, end: number): Promise<void> {
  for await (const ids of organizationsWith(pool, 'catalog.filled_groups where slot > 0', end)) await foldInTurns(pool, ids, end);
}

const OUTDATED = `
  select due.id from unnest($1::uuid[]) as due (id)
   where exists (with ${expected('due.id')} ${changedGroups('due.id', 'slot = 0', '1')})`;

/** Refreshes the stored completeness of those organizations whose expected values have changed. */
export async function refreshGroups(pool: Pool, organizationIds: readonly string[], end: number): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(OUTDATED, [organizationIds]);
  await foldInTurns(
    pool,
    rows.map(({ id }) => id),
    end,
  );
}
