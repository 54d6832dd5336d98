import {
  columns,
  hidden,
  lockName,
  lockNameShared,
  query,
  readRows,
  sql,
  Table,
  Tenant,
} from '../../../platform/database/index.ts';
import { type RequestScope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeValue, AttributeValues } from '../attributes/attribute-content.ts';
import { checkSize } from '../attributes/service.ts';
import { readAttributeValues } from '../attributes/value-faults.ts';
import { type StoredValue, storedValues } from '../values/types.ts';
import type { LabelSubject, LabelSummary } from './entity.ts';
import { findExisting, namesOf, requireNoMove } from './moves.ts';
import { findLabel, latestItemOf } from './summaries.ts';

/** A value of a brand or category that a person entered. It replaces that of the latest enrichment until it is removed. */
@Table('catalog.label_values')
@Tenant()
export class LabelValue extends columns({
  organizationId: hidden('uuid', { primary: true }),
  subject: hidden('text', { primary: true }).as<LabelSubject>(),
  key: hidden('uuid', { primary: true }),
  slug: hidden('text', { primary: true }),
  value: hidden('json').as<AttributeValue>(),
  at: hidden('datetime'),
}) {}

/** Values that people may enter for one brand or category. */
const MAX_VALUES = 500;

/** The values of a label: those that people entered, and the others of the latest enrichment. */
export async function valuesOf(scope: RequestScope, summary: LabelSummary): Promise<StoredValue[]> {
  const [item, entered] = await Promise.all([latestItemOf(scope, summary), enteredOf(scope, summary)]);
  const slugs = new Set(entered.map(({ slug }) => slug));
  const filled = Object.fromEntries(Object.entries(item?.enrichedData ?? {}).filter(([slug]) => !slugs.has(slug)));
  const own = storedValues(scope.organizationId, Object.fromEntries(entered.map(({ slug, value }) => [slug, value])), {});
  const at = new Map(entered.map((each) => [each.slug, each.at.toISOString()]));
  return [
    ...storedValues(scope.organizationId, filled, item?.provenance ?? {}),
    ...own.map((value) => ({ ...value, at: at.get(value.slug)! })),
  ].toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
}

const enteredOf = async (scope: RequestScope, { subject, key }: LabelSummary): Promise<LabelValue[]> => {
  const read = scope.batch(`entered values of ${subject}`, async (keys) => {
    const found = await readRows(scope, LabelValue, { where: { subject, key: keys }, orderBy: { slug: 'asc' } });
    return Map.groupBy(found, (each) => each.key);
  });
  return (await read(key)) ?? [];
};

/**
 * Enters values of a label, and removes entered ones, whose places the values of the latest enrichment take. Throws `NOT_FOUND`,
 * `INVALID_INPUT` naming up to five faults, and `CONFLICT` for a former name that products still leave.
 */
export async function enterValues(
  scope: RequestScope,
  subject: LabelSubject,
  { id, attributes, remove }: { id: string; attributes?: unknown; remove: readonly string[] },
): Promise<LabelSummary> {
  const summary = await findLabel(scope, subject, { id });
  const [values = {}] = await readAttributeValues(scope, [attributes ?? {}], { subject });
  const given = Object.entries(values);
  const key = await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    // The values move with a name, so the name is found when it can no longer change.
    await lockNameShared(em, namesOf(inner, subject));
    const { key } = await findExisting(inner, subject, id);
    await requireNoMove(inner, subject, key);
    // The counts of products do not wait for this lock, which serializes the changes of the values.
    await lockName(em, `values of ${organizationId} ${subject} ${key}`);
    const isOf = sql`organization_id = ${organizationId} and subject = ${subject} and key = ${key}`;
    await query(em, sql`delete from catalog.label_values where ${isOf} and slug = any(${remove}::text[])`);
    if (given.length > 0)
      await query(
        em,
        sql`insert into catalog.label_values (organization_id, subject, key, slug, value)
            select ${organizationId}, ${subject}, ${key}, slug, value from jsonb_each(${JSON.stringify(values)}::jsonb) as v (slug, value) order by slug
            on conflict (organization_id, subject, key, slug) do update set value = excluded.value, at = now()`,
      );
    const all = await query(
      em,
      sql<{ slug: string; value: AttributeValue }>`select slug, value from catalog.label_values where ${isOf}`,
    );
    if (all.length > MAX_VALUES) throw fail('INVALID_INPUT', `a ${subject} can have at most ${MAX_VALUES} entered values`);
    checkSize(Object.fromEntries(all.map(({ slug, value }) => [slug, value])) as AttributeValues);
    return key;
  });
  return key === summary.key ? summary : findLabel(scope, subject, { id: key });
}
