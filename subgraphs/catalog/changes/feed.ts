import type { Pool } from 'pg';
import { Args, Authorized, Ctx, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import {
  type Bind,
  column,
  columns,
  deleteOld,
  hidden,
  query,
  readRows,
  sql,
  Table,
  Tenant,
} from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import { FEED_CURSOR, type FeedCursor, readFeedCursor, writeFeedCursor } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Brand, Category } from '../labels/entity.ts';
import { Product } from '../products/entity.ts';

/** The latest change of a record. Triggers write it; a reader of the feed numbers it. */
@ObjectType({ description: 'The latest change of a product, brand or category.' })
@Table('catalog.changes')
@Tenant()
export class CatalogChange extends columns({
  recordId: column('uuid', { primary: true, description: 'The id of the changed record.' }),
  organizationId: hidden('uuid'),
  subject: column(enumTypes.CatalogSubject, { type: 'text' }),
  /** Increases in the order of the commits of the organization. Null until a reader numbers the change. */
  number: hidden('count', { nullable: true }),
  deleted: column('boolean', 'Whether the record was deleted. A deletion is listed for 90 days.'),
  sku: column('text', { nullable: true, description: 'The last SKU of a product, also after its deletion.' }),
  externalId: column('text', { nullable: true, description: 'The last external id of a product, also after its deletion.' }),
  at: column('datetime', 'When the transaction of the change began.'),
}) {}

/** The state of the feed of an organization. */
@Table('catalog.change_counters')
@Tenant()
export class ChangeCounter extends columns({
  organizationId: hidden('uuid', { primary: true }),
  last: hidden('count'),
  forgotten: hidden('count'),
}) {}

/** Maximum number of changes that one reader numbers. It is larger than a page, so a page is always full before this limit is reached. */
const BATCH = 5_000;

interface ChangePage {
  changes: CatalogChange[];
  cursor: string;
  hasMore: boolean;
}

/**
 * Read the changes of the catalog after a cursor, in the order of their commits. Each record is listed once, with its latest change. Throws
 * `UNPROCESSABLE` if deletions after the cursor were forgotten, and `INVALID_INPUT` for a cursor that no earlier response contained.
 */
async function readChanges(scope: Scope, after: string | null | undefined, limit: number): Promise<ChangePage> {
  if (after && !FEED_CURSOR.test(after)) throw unknownCursor();
  const { isFull: hasUnnumbered } = await numberChanges(scope);
  const { last: newest } = await counterOf(scope);
  const position = after ? readFeedCursor(after) : { last: 0, begun: newest };
  if (position.begun > newest) throw unknownCursor();
  const rows = await readAfter(scope, position, limit + 1);
  // After the changes, so that a concurrent sweep cannot hide a deletion.
  if ((await counterOf(scope)).forgotten > position.begun)
    throw fail('UNPROCESSABLE', 'The cursor is older than the retained deletions. Read the catalog again, without a cursor.');
  const changes = rows.slice(0, limit);
  const isFull = rows.length > limit;
  const last = changes.at(-1)?.number ?? position.last;
  return { changes, hasMore: isFull || hasUnnumbered, cursor: writeFeedCursor({ last, begun: position.begun }, isFull) };
}

/**
 * The first read, which ends at `begun`, lists no deletions, because its reader never knew the records. It has an index of its own: after a catalog
 * was replaced, its first page would otherwise pass all deletions.
 */
function readAfter(scope: Scope, { last, begun }: FeedCursor, limit: number): Promise<CatalogChange[]> {
  const first = (bind: Bind) => {
    const numbers = (condition: string) => `(
      select number from catalog.changes where organization_id = ${bind(scope.organizationId)}::uuid and ${condition} order by number limit ${bind(limit)}::int)`;
    const live = `number > ${bind(last)}::bigint and number <= ${bind(begun)}::bigint and number is not null and not deleted`;
    return `r.number = any(array(${numbers(live)} union all ${numbers(`number > ${bind(begun)}::bigint`)}))`;
  };
  const matching = last < begun ? first : (bind: Bind) => `r.number > ${bind(last)}`;
  return readRows(scope, CatalogChange, { matching, ordering: 'r.number' }, { limit, offset: 0 });
}

const unknownCursor = () => fail('INVALID_INPUT', 'after must be the cursor of an earlier response');

async function counterOf(scope: Scope): Promise<Pick<ChangeCounter, 'last' | 'forgotten'>> {
  const [counter] = await readRows(scope, ChangeCounter, { columns: ['last', 'forgotten'] });
  return counter ?? { last: 0, forgotten: 0 };
}

/**
 * Number the committed changes of the organization, at most `BATCH`. The lock on the counter lasts until the commit, so numbers become
 * visible in their order. A change that another transaction is about to replace is left to the next reader.
 */
async function numberChanges(scope: Scope): Promise<{ isFull: boolean }> {
  const { em, organizationId } = scope;
  const [unnumbered] = await query(
    em,
    sql`select 1 from catalog.changes where organization_id = ${organizationId} and number is null limit 1`,
  );
  return unnumbered ? transaction(scope, (inner) => numberLocked(inner)) : { isFull: false };
}

/** Like `numberChanges`, in a transaction, which then holds the lock on the counter. `isFull` tells that it stopped at its limit. */
export async function numberLocked({ em, organizationId }: Scope): Promise<{ last: number; isFull: boolean }> {
  await query(
    em,
    sql`insert into catalog.change_counters (organization_id) values (${organizationId}) on conflict (organization_id) do nothing`,
  );
  const [counter] = await query(
    em,
    sql<{ last: string }>`select last from catalog.change_counters where organization_id = ${organizationId} for update`,
  );
  const last = Number(counter!.last);
  const [numbered] = await query(
    em,
    sql<{ count: string }>`with chosen as (
          select record_id, at from catalog.changes where organization_id = ${organizationId} and number is null
           order by at, record_id limit ${BATCH} for update skip locked),
        numbered as (
          update catalog.changes c set number = ${last} + n.n
            from (select record_id, row_number() over (order by at, record_id) as n from chosen) n
           where c.record_id = n.record_id returning 1)
        select count(*) as count from numbered`,
  );
  const newest = last + Number(numbered!.count);
  if (newest > last)
    await query(em, sql`update catalog.change_counters set last = ${newest} where organization_id = ${organizationId}`);
  return { last: newest, isFull: newest - last === BATCH };
}

/** Days for which the feed lists a deletion. */
const DAYS = 90;

/**
 * Deletes and marks in one statement, so that a reader finds each deletion in the feed or in the mark. A deletion that no reader numbered
 * takes the next number, because each earlier cursor lacks it.
 */
const EXPIRED = `
  with expired as (
    delete from catalog.changes where record_id in (
      select record_id from catalog.changes where deleted and at < now() - interval '1 day' * $1
       order by at limit $2 for update skip locked)
    returning organization_id, number),
  marked as (
    update catalog.change_counters c
       set last = c.last + e.unread, forgotten = greatest(c.forgotten, e.number, (c.last + 1) * nullif(e.unread, 0))
      from (select organization_id, max(number) as number, bool_or(number is null)::int as unread from expired group by 1) e
     where c.organization_id = e.organization_id)
  select from expired`;

/** Forget old deletions, and return their number. */
export const pruneCatalogChanges = (pool: Pool, days = DAYS): Promise<number> => deleteOld(pool, EXPIRED, days);

class ChangesArguments extends args({
  after: field(String, {
    maxLength: 64,
    nullable: true,
    description: 'The `cursor` of an earlier response. Without it, the feed lists all records of the catalog first.',
  }),
  limit: field(Int, { min: 1, max: 500, defaultValue: 100, description: 'Page size.' }),
}) {}

@ObjectType({ description: 'Changes of the catalog, in the order of their commits.' })
class CatalogChanges
  extends output({
    changes: list(CatalogChange, 'Each record once, with its latest change.'),
    cursor: field(String, 'Pass it as `after` for the next changes. Store it together with the changes.'),
    hasMore: field(Boolean, 'Whether more changes can be read without waiting.'),
  })
  implements ChangePage {}

@Resolver(() => CatalogChange)
export class CatalogChangesResolver {
  @Authorized('member')
  @Query(() => CatalogChanges, {
    description:
      'The products, brands and categories that were created, changed or deleted, so that a mirror of the catalog stays complete. A change is listed once its transaction has committed, and none is skipped.',
  })
  catalogChanges(
    @Ctx() scope: RequestScope,
    @Args(() => ChangesArguments) { after, limit }: ChangesArguments,
  ): Promise<ChangePage> {
    return readChanges(scope, after, limit);
  }

  @FieldResolver(() => Product, {
    nullable: true,
    description: 'The current product; null for other records and after its deletion.',
  })
  product(@Ctx() scope: RequestScope, @Root() { subject, recordId, organizationId, deleted }: CatalogChange) {
    return subject === 'product' && !deleted ? scope.within(organizationId).load(Product, recordId) : null;
  }

  @FieldResolver(() => Brand, { nullable: true, description: 'The current brand; null for other records and after its deletion.' })
  brand(@Ctx() scope: RequestScope, @Root() { subject, recordId, organizationId, deleted }: CatalogChange) {
    return subject === 'brand' && !deleted ? scope.within(organizationId).load(Brand, recordId) : null;
  }

  @FieldResolver(() => Category, {
    nullable: true,
    description: 'The current category; null for other records and after its deletion.',
  })
  category(@Ctx() scope: RequestScope, @Root() { subject, recordId, organizationId, deleted }: CatalogChange) {
    return subject === 'category' && !deleted ? scope.within(organizationId).load(Category, recordId) : null;
  }
}
