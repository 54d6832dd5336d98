import { query, queryPrepared, SizedCache, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Attribute } from '../attributes/entity.ts';
import type { Job } from '../jobs/entity.ts';
import type { Product } from '../products/entity.ts';

/** Accepted values by slug with the number of products, most frequent first. */
type Vocabulary = Record<string, [value: string, count: number][]>;

/** An attribute with more distinct values has no vocabulary. */
const MAX_VALUES = 200;
const MAX_VALUE_LENGTH = 80;
/** Newest examples that are counted, of the category and of the organization. */
const SAMPLE = 2_000;
/** Characters of all known values in one request. */
const BUDGET = 30_000;

/** The frequent accepted values of text attributes, by slug. Values that only this product has are not among them. */
export async function knownValues(
  scope: Scope,
  job: Job,
  product: Product,
  attributes: readonly Attribute[],
): Promise<Record<string, string[]>> {
  if (!job.useExamples) return {};
  const slugs = attributes.filter(({ type }) => type === 'text').map(({ slug }) => slug);
  if (slugs.length === 0) return {};
  const vocabulary =
    (await readStored(scope, job, product)) ?? (await store(scope, job, product, await count(scope, product, slugs)));
  let rest = BUDGET;
  return Object.fromEntries(
    slugs.flatMap((slug): [string, string[]][] => {
      const own = product.attributes[slug]?.value;
      const counted = Object.hasOwn(vocabulary, slug) ? vocabulary[slug]! : [];
      const values = counted.filter(([value, uses]) => value !== own || uses > 1).map(([value]) => value);
      const fitting = values.filter((value) => {
        rest -= value.length + 3;
        return rest >= 0;
      });
      return fitting.length > 0 ? [[slug, fitting]] : [];
    }),
  );
}

const stored = new SizedCache<string, Vocabulary>(8 * 1024 * 1024);

/** The vocabulary that the job, or the job whose sources it reuses, already uses for the category. It never changes. */
async function readStored(scope: Scope, job: Job, product: Product): Promise<Vocabulary | undefined> {
  const key = JSON.stringify([job.id, job.evidenceJobId, product.category]);
  const known = stored.get(key);
  if (known) return known;
  const read = await readVocabulary(scope, job, product);
  if (read) stored.set(key, read, 2 * (key.length + JSON.stringify(read).length));
  return read;
}

async function readVocabulary(
  { em, organizationId }: Scope,
  { id, evidenceJobId }: Job,
  { category }: Product,
): Promise<Vocabulary | undefined> {
  const jobs = evidenceJobId ? [evidenceJobId, id] : [id];
  const [row] = await queryPrepared(
    em,
    sql<{ entries: Vocabulary }>`select entries from catalog.job_vocabularies
         where job_id = any(${jobs}::uuid[]) and category_key = catalog.category_key(${category}) and organization_id = ${organizationId}
         order by array_position(${jobs}::uuid[], job_id) limit 1`,
  );
  return row?.entries;
}

/** Returns the vocabulary of the item that stored it first. */
async function store(scope: Scope, job: Job, product: Product, entries: Vocabulary): Promise<Vocabulary> {
  await query(
    scope.em,
    sql`insert into catalog.job_vocabularies (job_id, category_key, organization_id, entries)
        select id, catalog.category_key(${product.category}), organization_id, ${JSON.stringify(entries)}::jsonb
          from catalog.jobs where id = ${job.id} and organization_id = ${scope.organizationId}
        on conflict do nothing`,
  );
  return (await readStored(scope, { ...job, evidenceJobId: null }, product)) ?? entries;
}

async function count({ em, organizationId }: Scope, { category }: Product, slugs: readonly string[]): Promise<Vocabulary> {
  const rows = await query(
    em,
    sql<{ slug: string; value: string; uses: number; isOwn: boolean }>`with sample as materialized (
            (select product_id, category_key from catalog.examples
              where organization_id = ${organizationId} and category_key = catalog.category_key(${category})
              order by organization_id desc, category_key desc, product_id desc limit ${SAMPLE}::int)
            union (select product_id, category_key from catalog.examples
              where organization_id = ${organizationId} order by organization_id desc, product_id desc limit ${SAMPLE}::int)
          ), counted as (
            select s as slug, p.attributes -> s ->> 'value' as value, count(*)::int as uses, bool_or(category_key = catalog.category_key(${category})) as own
              from sample join catalog.products p on p.id = sample.product_id and p.organization_id = ${organizationId}
              cross join unnest(${slugs}::text[]) s
             where p.attributes -> s ->> 'attributeType' = 'text' and catalog.is_accepted(p.provenance -> s)
               and length(p.attributes -> s ->> 'value') between 1 and ${MAX_VALUE_LENGTH}::int group by 1, 2
          ), ranked as (
            select *, row_number() over (partition by slug order by own desc, uses desc, value) as place from counted
          ) select slug, value, uses, own as "isOwn" from ranked where place <= ${MAX_VALUES + 1}::int order by slug, place`,
  );
  const bySlug = Map.groupBy(rows, ({ slug }) => slug);
  // Values of other categories fill up the vocabulary, if that of the category is small.
  const limited = [...bySlug]
    .map(([slug, values]) => [slug, values.length > MAX_VALUES ? values.filter(({ isOwn }) => isOwn) : values] as const)
    .filter(([, values]) => values.length <= MAX_VALUES);
  return Object.fromEntries(limited.map(([slug, values]) => [slug, values.map(({ value, uses }) => [value, uses])]));
}
