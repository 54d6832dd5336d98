import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { LabelSubject } from './entity.ts';
import { subjects } from './subjects.ts';

/** Products, or items of jobs, that one transaction moves. */
export const PAGE = 1_000;

/** A change of a name that products, records and histories follow. */
export interface Move {
  id: string;
  subject: LabelSubject;
  fromKey: string;
  fromName: string;
  toKey: string;
  toName: string;
  /** The levels of the former name that the new name replaces. */
  levels: number;
  isMerge: boolean;
  total: number;
  moved: number;
  page: number;
  /** The last product of the previous page, with the key of its name. */
  afterKey: string | null;
  afterCreatedAt: string | null;
  afterId: string | null;
}

type Cursor = Pick<Move, 'afterKey' | 'afterCreatedAt' | 'afterId'>;

/**
 * Gives the next page of products the new name. `chosen` is 0 when none is left; then the cursor starts again, because others may have got the
 * former name meanwhile.
 */
export async function moveProducts(scope: Scope, move: Move): Promise<{ chosen: number; moved: number } & Cursor> {
  const { em, organizationId } = scope;
  const { subject, fromKey, levels, toName, afterKey, afterCreatedAt, afterId } = move;
  const column = sql.ref(`p.${subject}`);
  const renamed = sql`catalog.moved_name(${column}, ${levels}::int, ${toName})`;
  const [page] = await query(
    em,
    sql<{ chosen: number; ids: string[] } & Cursor>`
      with listed as (
        -- Archived products are not counted, but follow.
        select l.key, l.product_count from catalog.keys_within(${organizationId}, ${subject}, ${fromKey}) k
          join catalog.labels l on l.organization_id = ${organizationId} and l.subject = ${subject} and l.key = k
         where ${afterKey}::uuid is null or l.key >= ${afterKey}::uuid),
      keys as (
        -- As many as fill the page. Some products of the first one are done.
        select key from (select key, sum(product_count) filter (where key is distinct from ${afterKey}::uuid)
                                     over (order by key rows between unbounded preceding and 1 preceding) as before from listed) l
         where coalesce(before, 0) < ${PAGE}),
      chosen as (
        select keys.key, p.id, p.created_at from keys cross join lateral (
          select p.id, p.created_at from catalog.products p
           where p.organization_id = ${organizationId} and ${column} is not null and catalog.name_key(${column}) = keys.key
             and (keys.key is distinct from ${afterKey}::uuid or (p.created_at, p.id) > (${afterCreatedAt}::timestamptz, ${afterId}::uuid))
           order by p.created_at, p.id limit ${PAGE}) p
         order by keys.key, p.created_at, p.id limit ${PAGE}),
      locked as materialized (
        select p.id from catalog.products p
         where p.organization_id = ${organizationId} and p.id = any(array(select id from chosen)) order by p.id for update),
      moved as (
        update catalog.products p set ${sql.ref(subject)} = ${renamed}, updated_at = greatest(clock_timestamp(), p.updated_at)
         where p.organization_id = ${organizationId} and p.id = any(array(select id from locked)) and catalog.is_within(${column}, ${fromKey}, ${levels}::int) and ${column} is distinct from ${renamed}
        returning p.id)
      select c.count as chosen, array(select id from moved) as ids, last.key as "afterKey", last.created_at::text as "afterCreatedAt",
             last.id as "afterId"
        from (select count(*)::int as count from chosen) c
        left join (select * from chosen order by key desc, created_at desc, id desc limit 1) last on true`,
  );
  const { chosen, ids, ...cursor } = page!;
  if (subject === 'category' && ids.length > 0) await moveProposals(scope, ids);
  return { chosen, moved: ids.length, ...cursor };
}

/** Open proposals are listed by the category of their product. */
const moveProposals = ({ em, organizationId }: Scope, productIds: readonly string[]) =>
  query(
    em,
    sql`update catalog.proposals r set category_key = catalog.name_key(p.category) from catalog.products p
         where r.product_id = any(${productIds}::uuid[]) and r.verdict is null and p.id = r.product_id
           and r.organization_id = ${organizationId} and r.category_key is not null`,
  );

/** Moves a page of the history, and returns its size. Items that are open enrich the new name. */
export async function moveItems({ em, organizationId }: Scope, move: Move): Promise<number> {
  const { subject, fromKey, toKey, levels, toName, isMerge } = move;
  if (fromKey === toKey) return 0;
  const items = await query(
    em,
    sql`update catalog.job_items i set label = catalog.moved_name(i.label, ${levels}::int, ${toName}), from_merge = i.from_merge or ${isMerge}
         where i.id in (
           select r.id from catalog.keys_within(${organizationId}, ${subject}, ${fromKey}) k cross join lateral (
             select id from catalog.job_items where organization_id = ${organizationId} and subject = ${subject} and label is not null
                and catalog.name_key(label) = k limit ${PAGE}) r
            limit ${PAGE})
        returning i.id`,
  );
  return items.length;
}

/** Moves the records, the sets and the values of a name and of those below it. The new name keeps those that it has. */
export async function moveRecords({ em, organizationId }: Scope, move: Move): Promise<void> {
  const { subject, fromKey, toKey, levels, toName } = move;
  const table = sql.table(subjects[subject].table);
  const within = sql`catalog.keys_within(${organizationId}, ${subject}, ${fromKey}) k
    join catalog.labels l on l.organization_id = ${organizationId} and l.subject = ${subject} and l.key = k`;
  const renamed = sql`catalog.moved_name(l.name, ${levels}::int, ${toName})`;
  if (fromKey !== toKey) {
    const tables = [
      { table: 'catalog.label_values', key: 'key', isOf: sql`t.subject = ${subject}`, rest: ['subject', 'slug', 'value', 'at'] },
      ...(subject === 'category'
        ? [{ table: 'catalog.category_sets', key: 'category', isOf: sql`true`, rest: ['attribute_set_id'] }]
        : []),
    ];
    for (const { table: name, key, isOf, rest } of tables) {
      const [own, others] = [sql.ref(key), sql.join(rest.map((column) => sql.ref(column)))];
      await query(
        em,
        sql`with gone as (
              delete from ${sql.table(name)} t using ${within}
               where t.organization_id = ${organizationId} and ${isOf} and t.${own} = l.key returning t.*, ${renamed} as renamed)
            insert into ${sql.table(name)} (organization_id, ${own}, ${others})
            select organization_id, catalog.name_key(renamed), ${others} from gone order by 2 on conflict do nothing`,
      );
    }
  }
  await query(
    em,
    sql`with pairs as materialized (select l.record_id as id, ${renamed} as name from ${within} where l.record_id is not null),
        gone as (
          delete from ${table} r using pairs
           where r.id = pairs.id and exists (
             select from ${table} o where o.organization_id = ${organizationId} and o.id <> r.id and catalog.name_key(o.name) = catalog.name_key(pairs.name))
          returning r.id)
        update ${table} r set name = pairs.name from pairs
         where r.id = pairs.id and r.organization_id = ${organizationId} and pairs.id not in (select id from gone)`,
  );
  if (fromKey === toKey)
    await query(
      em,
      sql`update catalog.labels o set name = ${renamed} from ${within}
           where (o.organization_id, o.subject, o.key) = (l.organization_id, l.subject, l.key) and o.record_id is null`,
    );
}

/**
 * Whether no product has the former name. The lock waits for writers of such products: their triggers lock the row of each name, and of those
 * above it.
 */
export async function isFinished({ em, organizationId }: Scope, { subject, fromKey, toKey }: Move): Promise<boolean> {
  if (fromKey === toKey) return true;
  const [label] = await query(
    em,
    sql<{ count: number }>`select total_count::float as count from catalog.labels
         where organization_id = ${organizationId} and subject = ${subject} and key = ${fromKey} for update`,
  );
  return (label?.count ?? 0) === 0;
}
