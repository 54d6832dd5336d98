import { v7 as uuid } from 'uuid';
import {
  conflictIfTaken,
  isDataError,
  isUnavailable,
  lockName,
  query,
  sql,
  storageRefusal,
  withDeadlockRetry,
} from '../../../platform/database/index.ts';
import { type LabelMoveRef, post } from '../../../platform/queues/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import type { LabelSubject } from './entity.ts';
import { isFinished, type Move, moveItems, moveProducts, moveRecords, PAGE } from './move-steps.ts';
import { createLabel, freeSlug } from './service.ts';
import { isKey, subjects } from './subjects.ts';

/** Categories that one rename or merge may move. */
const MAX_CATEGORIES = 10_000;

interface Existing {
  key: string;
  name: string;
  recordId: string | null;
  totalCount: number;
  createdCount: number;
}

/**
 * Gives a brand or category another name: its record, the text of its products, its values, its set and its history. A category takes those
 * below it along. Up to 1,000 products change in the transaction of the rename; a worker continues with the others. Throws `CONFLICT` if the
 * name exists. Returns the key of the name.
 */
export function renameLabel(
  scope: Scope,
  subject: LabelSubject,
  id: string,
  { name, slug }: { name: string; slug?: string | null },
): Promise<string> {
  return changeNames(scope, subject, async (inner) => {
    const from = await findExisting(inner, subject, id);
    const to = await targetOf(inner, subject, name);
    const isSame = to.key === from.key;
    if (!isSame && to.isListed) throw fail('CONFLICT', `${subjects[subject].title} ${to.name} exists. Merge the two instead.`);
    await startMove(inner, subject, from, to, false);
    await recordName(inner, subject, to.key, 'updated', [from.name, to.name]);
    if (slug != null) await setSlug(inner, subject, to, slug);
    return to.key;
  });
}

/**
 * Moves everything of a brand or category to another one, which keeps its record, its set, its values and its enrichment where it has them.
 * The record and the slug of the first one are then free. Categories below it move too. Returns the key of the other one.
 */
export function mergeLabel(scope: Scope, subject: LabelSubject, id: string, intoId: string): Promise<string> {
  return changeNames(scope, subject, async (inner) => {
    const [from, into] = [await findExisting(inner, subject, id), await findExisting(inner, subject, intoId)];
    if (from.key === into.key) throw fail('INVALID_INPUT', `a ${subject} cannot be merged into itself`);
    const to = await targetOf(inner, subject, into.name, into);
    // The names of the record are unique, so the merge deletes the record of the first one.
    if (from.recordId && !into.recordId) await createLabel(inner, subject, { name: into.name });
    await startMove(inner, subject, from, to, true);
    await recordName(inner, subject, to.key, 'merged', [from.name, to.name]);
    return to.key;
  });
}

/** Deletes the record of a brand or category without products, and its values. Throws `UNPROCESSABLE` if it has any. */
export function deleteLabel(scope: Scope, subject: LabelSubject, id: string): Promise<{ id: string; deleted: boolean }> {
  return changeNames(scope, subject, async (inner) => {
    const { key, name, recordId, totalCount, createdCount } = await findExisting(inner, subject, id, sql.raw('for update'));
    if (totalCount > 0 || !recordId) throw fail('UNPROCESSABLE', `Only a ${subject} without products can be deleted.`);
    if (createdCount > 1) throw fail('UNPROCESSABLE', 'Delete the categories below it first.');
    const { em, organizationId } = inner;
    await query(
      em,
      sql`delete from catalog.label_values where organization_id = ${organizationId} and subject = ${subject} and key = ${key}`,
    );
    if (subject === 'category')
      await query(em, sql`delete from catalog.category_sets where organization_id = ${organizationId} and category = ${key}`);
    await query(
      em,
      sql`delete from ${sql.table(subjects[subject].table)} where organization_id = ${organizationId} and id = ${recordId}`,
    );
    await recordName(inner, subject, key, 'deleted', [name, null]);
    return { id: recordId, deleted: true };
  });
}

/** Records the former and the new name in the audit log. */
const recordName = (
  { em, organizationId }: Scope,
  subject: LabelSubject,
  key: string,
  action: EnumValue<'AuditAction'>,
  names: readonly [string, string | null],
) =>
  query(
    em,
    sql`select identity.record_change(${organizationId}, ${subject}, ${key}, ${action}, '{name}', null, ${JSON.stringify({ name: names })}::jsonb)
         where ${names[0]}::text is distinct from ${names[1]}::text`,
  );

/** Runs `work` in a transaction, while no other name of the subject changes. */
const changeNames = <T>(scope: Scope, subject: LabelSubject, work: (inner: Scope) => Promise<T>): Promise<T> =>
  withDeadlockRetry(() =>
    transaction(scope, async (inner) => {
      await lockName(inner.em, namesOf(inner, subject));
      await requireNoMove(inner, subject);
      return work(inner);
    }),
  ).catch(conflictIfTaken('Another request used the name or slug at the same time. Please try again.'));

/** The lock of the names of a subject. A writer of values shares it, so that they do not move meanwhile. */
export const namesOf = ({ organizationId }: Scope, subject: LabelSubject) => `${subject} names of ${organizationId}`;

/**
 * Throws `CONFLICT` while products follow a rename or merge.
 * @param fromKey only of this name
 */
export async function requireNoMove(
  { em, organizationId }: Scope,
  subject: LabelSubject,
  fromKey: string | null = null,
): Promise<void> {
  const [open] = await query(
    em,
    sql<{ name: string }>`select to_name as name from catalog.label_moves
         where organization_id = ${organizationId} and subject = ${subject} and (${fromKey}::uuid is null or from_key = ${fromKey}::uuid)`,
  );
  if (open) throw fail('CONFLICT', `Products are still being moved to ${open.name}. Please try again when they are.`);
}

/** Finds a listed label by its key or the id of its record. */
export async function findExisting(
  { em, organizationId }: Scope,
  subject: LabelSubject,
  id: string,
  lock = sql.raw(''),
): Promise<Existing> {
  const [found] = isKey(id)
    ? await query(
        em,
        sql<Existing>`select key, name, record_id as "recordId", total_count::float as "totalCount", created_count::float as "createdCount"
                        from catalog.labels where organization_id = ${organizationId} and subject = ${subject}
                         and (key = ${id}::uuid or record_id = ${id}::uuid) and (total_count > 0 or created_count > 0) ${lock}`,
      )
    : [];
  return found ?? Promise.reject(fail('NOT_FOUND', `${subjects[subject].title} not found`));
}

interface Target {
  key: string;
  name: string;
  isListed: boolean;
  levels: number;
}

/** The key and levels of a new name. A path gets one spelling. Throws `INVALID_INPUT` for one with an empty level, or with too many. */
async function targetOf({ em, organizationId }: Scope, subject: LabelSubject, name: string, known?: Existing): Promise<Target> {
  const written = sql`case when ${subject === 'category' && !known}::boolean then array_to_string(catalog.path_of(${name}), ' > ')
                      else btrim(${name}, E' \t\r\n') end`;
  const [target] = await query(
    em,
    sql<Target>`select t.name, catalog.name_key(t.name) as key, cardinality(catalog.path_of(t.name)) as levels, exists (
          select from catalog.labels l where l.organization_id = ${organizationId} and l.subject = ${subject}
             and l.key = catalog.name_key(t.name) and (l.total_count > 0 or l.created_count > 0)) as "isListed"
        from (select ${written} as name) t`,
  );
  if (subject === 'category' && !known && target!.levels === 1 && target!.name.includes('>'))
    throw fail('INVALID_INPUT', 'name must be a path of at most 10 levels, such as `Furniture > Chairs`');
  return target!;
}

async function startMove(inner: Scope, subject: LabelSubject, from: Existing, to: Target, isMerge: boolean): Promise<void> {
  const { em, organizationId } = inner;
  const levels = subject === 'category' ? await checkCategories(inner, from, to) : ALL_LEVELS;
  const move: Move = {
    ...{ id: uuid(), subject, fromKey: from.key, fromName: from.name, toKey: to.key, toName: to.name, levels, isMerge },
    ...{ total: from.totalCount, moved: 0, page: 0, afterKey: null, afterCreatedAt: null, afterId: null },
  };
  // Products before labels, because their writers lock them in this order.
  const products = await moveProducts(inner, move);
  const items = await moveItems(inner, move);
  await moveRecords(inner, move);
  const isWhole = products.chosen < PAGE && items < PAGE;
  if (isWhole && (await isFinished(inner, move))) return;
  await query(
    em,
    sql`insert into catalog.label_moves (id, organization_id, subject, from_key, from_name, to_key, to_name, levels, is_merge, total, moved,
          after_key, after_created_at, after_id)
        values (${move.id}, ${organizationId}, ${subject}, ${from.key}, ${from.name}, ${to.key}, ${to.name}, ${levels}, ${isMerge},
          ${move.total}, ${products.moved}, ${products.afterKey}, ${products.afterCreatedAt}::timestamptz, ${products.afterId})`,
  );
  await post(inner, 'label.move', { organizationId, moveId: move.id, page: 0 });
}

/** More than a path can have, so that the whole name of a brand is replaced. */
const ALL_LEVELS = 1_000;

/** Returns the levels of a category that may move with those below it. */
async function checkCategories({ em, organizationId }: Scope, from: Existing, to: Target): Promise<number> {
  const [facts] = await query(
    em,
    sql<{ levels: number; count: number; longest: number; isTooDeep: boolean; isBelow: boolean }>`
      with origin as (select cardinality(catalog.path_of(${from.name})) as levels),
      moved as (
        select l.key, l.name, catalog.moved_name(l.name, o.levels, ${to.name}) as moved
          from origin o, catalog.keys_within(${organizationId}, 'category', ${from.key}) k
          join catalog.labels l on l.organization_id = ${organizationId} and l.subject = 'category' and l.key = k
         where l.total_count > 0 or l.created_count > 0)
      select o.levels, count(*)::int as count, max(length(moved)) as longest,
             bool_or(cardinality(catalog.path_of(moved)) < cardinality(catalog.path_of(m.name)) - o.levels + ${to.levels}::int) as "isTooDeep",
             catalog.is_within(${to.name}, ${from.key}, o.levels) as "isBelow"
        from origin o left join moved m on true group by o.levels`,
  );
  const { levels, count, longest, isTooDeep, isBelow } = facts!;
  const isSame = to.key === from.key;
  if (isBelow && !isSame) throw fail('INVALID_INPUT', 'a category cannot move below itself');
  if (isTooDeep) throw fail('INVALID_INPUT', 'a category below it would have more than 10 levels');
  if (longest > subjects.category.longestName)
    throw fail('INVALID_INPUT', `a category below it would have more than ${subjects.category.longestName} characters`);
  if (count > MAX_CATEGORIES)
    throw fail('UNPROCESSABLE', `At most ${MAX_CATEGORIES} categories can move at once. Move those below it first.`);
  if (count > 1 && !isSame && (await isAbove(em, from, to)))
    throw fail('INVALID_INPUT', 'a category with others below it cannot be merged into one above it; merge those first');
  return levels;
}

async function isAbove(em: Scope['em'], from: Existing, to: Target): Promise<boolean> {
  const [row] = await query(
    em,
    sql<{ above: boolean }>`select catalog.is_within(${from.name}, ${to.key}, ${to.levels}::int) as above`,
  );
  return row!.above;
}

async function setSlug(inner: Scope, subject: LabelSubject, to: Target, slug: string): Promise<void> {
  const { label } = await createLabel(inner, subject, { name: to.name, slug });
  const free = await freeSlug(inner, subject, slug, label.id);
  await query(
    inner.em,
    sql`update ${sql.table(subjects[subject].table)} set slug = ${free} where id = ${label.id} and organization_id = ${inner.organizationId}`,
  );
}

const MOVE_COLUMNS =
  sql.raw(`id, subject, from_key as "fromKey", from_name as "fromName", to_key as "toKey", to_name as "toName", levels,
  is_merge as "isMerge", total::float, moved::float, page, after_key as "afterKey", after_created_at::text as "afterCreatedAt", after_id as "afterId"`);

type NextPage = Pick<LabelMoveRef, 'moveId' | 'page'>;

/** Attempts after which a page that still fails ends its move. The worker repeats it over a quarter of an hour. */
const MAX_ATTEMPTS = 20;

/**
 * Moves the next page of products, and posts the message for the rest. A message that is delivered again does nothing. A move that fails for
 * good ends, because no other name could change. Its other products keep the former name, and a merge moves them.
 */
export async function continueMove(scope: Scope, next: NextPage, attempts = 1): Promise<void> {
  try {
    await withDeadlockRetry(() => transaction(scope, (inner) => movePage(inner, next)));
  } catch (error) {
    const fails = storageRefusal(error) !== undefined || isDataError(error) || (attempts >= MAX_ATTEMPTS && !isUnavailable(error));
    if (!fails) throw error;
    const { em, organizationId } = scope;
    log.error({ err: error, organizationId, ...next }, 'A rename ended before all products had the new name');
    await query(
      em,
      sql`delete from catalog.label_moves where id = ${next.moveId} and organization_id = ${organizationId} and page = ${next.page}`,
    );
  }
}

async function movePage(inner: Scope, { moveId, page }: NextPage): Promise<void> {
  const { em, organizationId } = inner;
  const [move] = await query(
    em,
    sql<Move>`select ${MOVE_COLUMNS} from catalog.label_moves where id = ${moveId} and organization_id = ${organizationId} for update`,
  );
  if (move?.page !== page) return;
  const items = await moveItems(inner, move);
  const products = await moveProducts(inner, move);
  if (items === 0 && products.chosen === 0 && (await isFinished(inner, move))) {
    await query(em, sql`delete from catalog.label_moves where id = ${moveId}`);
    return;
  }
  await query(
    em,
    sql`update catalog.label_moves set page = page + 1, moved = least(total, moved + ${products.moved}), after_key = ${products.afterKey},
            after_created_at = ${products.afterCreatedAt}::timestamptz, after_id = ${products.afterId} where id = ${moveId}`,
  );
  await post(inner, 'label.move', { organizationId, moveId, page: page + 1 });
}
