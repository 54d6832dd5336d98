import type { Pool } from 'pg';
import { inTransaction, query, readRows, SWEEP_BUDGET, sql } from '../../../platform/database/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Attribute } from '../attributes/entity.ts';
import { findSet } from '../attributes/service.ts';
import { LabelSummary } from '../labels/entity.ts';
import { findLabel } from '../labels/summaries.ts';
import { EXPECTED, expected, levels, percentOf } from './expected-values.ts';
import { organizationsWith, refreshGroups } from './fold-groups.ts';
import type { Completeness, CompletenessDay, ProductCompleteness } from './types.ts';

const SUMS = `
  coalesce(sum(count), 0)::bigint as products, coalesce(sum(count * filled), 0)::bigint as filled,
  coalesce(sum(count * expected), 0)::bigint as expected, coalesce(sum(count * filled_required), 0)::bigint as filled_required,
  coalesce(sum(count * expected_required), 0)::bigint as expected_required,
  coalesce(sum(count) filter (where filled = expected), 0)::bigint as complete`;

interface Sums {
  products: string;
  filled: string;
  expected: string;
  filled_required: string;
  expected_required: string;
  complete: string;
}

const toCompleteness = (sums: Sums): Completeness => {
  const { products, filled, expected, filled_required, expected_required, complete } = sums;
  return {
    products: Number(products),
    complete: Number(complete),
    percent: Number(expected) > 0 ? percentOf(Number(filled), Number(expected)) : null,
    requiredPercent: Number(expected_required) > 0 ? percentOf(Number(filled_required), Number(expected_required)) : null,
  };
};

const run = async <T extends object>({ services, signal, budget }: Scope, name: string, text: string, values: unknown[]) =>
  (await services.statements.run<T>({ name, text, values }, signal, budget)).rows;

const OF_CATALOG = `with ${levels('$1')} select ${SUMS} from levels`;

export async function catalogCompleteness(scope: Scope): Promise<Completeness> {
  const [sums] = await run<Sums>(scope, 'catalog completeness', OF_CATALOG, [scope.organizationId]);
  return toCompleteness(sums!);
}

const OF_CATEGORIES = `with ${levels('$1', 'category = any($2::uuid[])')} select category, ${SUMS} from levels group by 1`;
const NONE: Completeness = { products: 0, complete: 0, percent: null, requiredPercent: null };

export async function categoryCompleteness(scope: RequestScope, { key }: LabelSummary): Promise<Completeness> {
  const read = scope.batch('completeness of categories', async (keys) => {
    const rows = await run<Sums & { category: string }>(scope, 'category completeness', OF_CATEGORIES, [
      scope.organizationId,
      keys,
    ]);
    return new Map(rows.map((row) => [row.category, toCompleteness(row)]));
  });
  return (await read(key)) ?? NONE;
}

const OF_PRODUCTS = `with ${expected('$1')}
  select p.id, cardinality(e.slugs) as expected, cardinality(e.required) as expected_required,
         array(select s from unnest(e.slugs) s where s <> all(h.filled)) as missing,
         array(select s from unnest(e.required) s where s <> all(h.filled)) as missing_required
    from catalog.products p left join sets on sets.category = catalog.category_of(p.category) cross join usual
   cross join lateral ${EXPECTED}
   -- The offset keeps the planner from reading the values once per slug.
   cross join lateral (select catalog.filled(p.attributes) as filled offset 0) h
   where p.organization_id = $1 and p.id = any($2::uuid[])`;

interface ProductRow {
  id: string;
  expected: number;
  expected_required: number;
  missing: string[];
  missing_required: string[];
}

export async function productCompleteness(scope: RequestScope, id: string): Promise<ProductCompleteness | null> {
  const read = scope.batch('completeness of products', async (ids) => {
    const rows = await run<ProductRow>(scope, 'product completeness', OF_PRODUCTS, [scope.organizationId, ids]);
    return new Map(
      rows.map(({ id, expected, expected_required, missing, missing_required }) => [
        id,
        {
          percent: expected > 0 ? percentOf(expected - missing.length, expected) : null,
          requiredPercent: expected_required > 0 ? percentOf(expected_required - missing_required.length, expected_required) : null,
          missingSlugs: missing,
          missingRequiredSlugs: missing_required,
        },
      ]),
    );
  });
  return read(id);
}

/** The product attributes with these slugs, sorted by name. */
export async function attributesOf(scope: RequestScope, slugs: string[]): Promise<Attribute[]> {
  const load = scope.batch('attributes by slug', async (wanted) => {
    const found = await readRows(scope, Attribute, { where: { subject: 'product', slug: wanted } });
    return new Map(found.map((attribute) => [attribute.slug, attribute]));
  });
  const found = await Promise.all(slugs.map(load));
  return found.filter((each) => each !== null).toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Sets or removes the attribute set of a category. Throws `NOT_FOUND`. */
export async function setCategoryAttributes(scope: Scope, name: string, attributeSetId: string | null): Promise<LabelSummary> {
  const category = await findLabel(scope, 'category', { name });
  const { key } = category;
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    if (attributeSetId === null)
      return query(em, sql`delete from catalog.category_sets where organization_id = ${organizationId} and category = ${key}`);
    const { id, subject } = await findSet(inner, attributeSetId);
    if (subject !== 'product') throw fail('INVALID_INPUT', 'attributeSetId must be a set of product attributes');
    return query(
      em,
      sql`insert into catalog.category_sets (organization_id, category, attribute_set_id) values (${organizationId}, ${key}, ${id})
          on conflict (organization_id, category) do update set attribute_set_id = excluded.attribute_set_id`,
    );
  });
  return category;
}

/** The id of the attribute set of a category, or null. */
export const attributeSetIdOf = (scope: RequestScope, { key }: LabelSummary): Promise<string | null> =>
  scope.batch('attribute sets of categories', async (keys) => {
    const text =
      'select category, attribute_set_id as id from catalog.category_sets where organization_id = $1 and category = any($2::uuid[])';
    const rows = await run<{ category: string; id: string }>(scope, 'category sets', text, [scope.organizationId, keys]);
    return new Map(rows.map(({ category, id }) => [category, id]));
  })(key);

/** The most categories of a set that are listed. */
export const MAX_CATEGORIES = 1_000;

/** The categories of an attribute set, sorted by name. */
export const categoriesOf = (scope: Scope, attributeSetId: string): Promise<LabelSummary[]> =>
  readRows(
    scope,
    LabelSummary,
    {
      where: { subject: 'category' },
      matching: (bind) =>
        `r.key in (select category from catalog.category_sets where attribute_set_id = ${bind(attributeSetId)}::uuid)`,
      ordering: 'lower(r.name), r.key',
    },
    { limit: MAX_CATEGORIES, offset: 0 },
  );

const TODAY = `(now() at time zone 'UTC')::date`;
const DAYS = `with ${levels('$1')}, now as (select ${SUMS} from levels)
  select day::text, products, filled, expected, filled_required, expected_required, 0 as complete from (
    select day, products, filled, expected, filled_required, expected_required from catalog.completeness_days
     where organization_id = $1 and day > ${TODAY} - $2::int and day < ${TODAY}
    union all select ${TODAY}, products, filled, expected, filled_required, expected_required from now where products > 0) d order by day`;

/** The completeness at the end of each of the last days, and now for today, oldest first. Days before the first product are missing. */
export async function completenessDays(scope: Scope, days: number): Promise<CompletenessDay[]> {
  const rows = await run<Sums & { day: string }>(scope, 'completeness days', DAYS, [scope.organizationId, days]);
  return rows.map((row) => {
    const { products, percent, requiredPercent } = toCompleteness(row);
    return { day: row.day, products, percent, requiredPercent };
  });
}

/** Milliseconds of a statement. */
const TIMEOUT = 10_000;

const RECORD = `
  insert into catalog.completeness_days (organization_id, day, products, filled, expected, filled_required, expected_required)
  select due.id, (now() at time zone 'UTC')::date, s.products, s.filled, s.expected, s.filled_required, s.expected_required
    from unnest($1::uuid[]) as due (id) cross join lateral (with ${levels('due.id')} select ${SUMS} from levels) s
   order by 1
  on conflict (organization_id, day) do update set products = excluded.products, filled = excluded.filled, expected = excluded.expected,
    filled_required = excluded.filled_required, expected_required = excluded.expected_required`;
const FORGET_OLD = `
  delete from catalog.completeness_days where organization_id = any($1::uuid[]) and day < (now() at time zone 'UTC')::date - 731`;

/** Records today's completeness of all organizations, and forgets that of more than two years ago. */
export async function recordCompleteness(pool: Pool): Promise<void> {
  const end = performance.now() + SWEEP_BUDGET;
  for await (const ids of organizationsWith(pool, 'catalog.product_counts where true', end)) {
    await refreshGroups(pool, ids, end);
    // The catalog of one organization can be too large, or be deleted. The others are recorded without it.
    const all = await record(pool, ids).catch((error: unknown) => ({ error }));
    for (const id of all ? ids : [])
      if (performance.now() < end)
        await record(pool, [id]).catch((err: unknown) =>
          log.warn({ err, organizationId: id }, 'Failed to record the completeness of a catalog'),
        );
  }
}

const record = (pool: Pool, ids: readonly string[]): Promise<void> =>
  inTransaction(pool, async (connection) => {
    await connection.query(`set local statement_timeout = ${TIMEOUT}`);
    for (const statement of [RECORD, FORGET_OLD]) await connection.query(statement, [ids]);
  });
