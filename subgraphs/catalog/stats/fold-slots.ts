import type { Pool } from 'pg';

/** Rows of a statement, and milliseconds of a sweep. The next sweep continues. */
const [BATCH, SWEEP_MS] = [2_000, 50_000];

/**
 * SQL that adds slots up in slot 0. Only this statement writes that slot, and it skips what a transaction is changing, so it waits for no writer. A
 * reader sees the slots before or after it.
 * @param key the columns of the primary key between the organization and the slot
 */
const foldOf = (table: string, key: [string, string], { columns, sums, add }: Record<'columns' | 'sums' | 'add', string>) => `
  with chosen as (
    select organization_id, ${key.join()}, slot from ${table} where slot > 0 order by organization_id, ${key.join()} limit ${BATCH} for update skip locked),
  gone as (
    delete from ${table} c using chosen o
     where (c.organization_id, c.${key[0]}, c.${key[1]}, c.slot) = (o.organization_id, o.${key[0]}, o.${key[1]}, o.slot) returning c.*),
  folded as (
    insert into ${table} as c (organization_id, ${key.join()}, slot, ${columns})
    select organization_id, ${key.join()}, 0, ${sums} from gone
     where exists (select 1 from identity.organizations o where o.id = organization_id) group by organization_id, ${key.join()} order by 1, 2, 3
    on conflict (organization_id, ${key.join()}, slot) do update set ${add})
  select count(*)::int as count from gone`;

/**
 * Forgets groups without products, because every change of the attributes that have values can leave one. It reads the table: an index on the count would
 * make each change of a count slower.
 */
const EMPTY = `
  with chosen as (
    select organization_id, category, shape from catalog.filled_groups where slot = 0 and count = 0
     order by organization_id, category, shape limit ${BATCH} for update skip locked),
  gone as (
    delete from catalog.filled_groups g using chosen c
     where (g.organization_id, g.category, g.shape, g.slot) = (c.organization_id, c.category, c.shape, 0) returning 1)
  select count(*)::int as count from gone`;

const FOLDS = [
  foldOf('catalog.counters', ['kind', 'key'], {
    columns: 'count, sum',
    sums: 'sum(count), sum(sum)',
    add: 'count = c.count + excluded.count, sum = c.sum + excluded.sum',
  }),
  foldOf('catalog.filled_groups', ['category', 'shape'], {
    columns: 'slugs, count',
    sums: 'min(slugs), sum(count)',
    add: 'count = c.count + excluded.count',
  }),
  EMPTY,
];

/** Adds the slots of stored counts up, so that their readers read one row of each. Safe to run concurrently. */
export async function foldSlots(pool: Pool): Promise<void> {
  const end = performance.now() + SWEEP_MS;
  for (const statement of FOLDS) {
    let count = BATCH;
    while (count === BATCH && performance.now() < end) count = (await pool.query<{ count: number }>(statement)).rows[0]!.count;
  }
}
