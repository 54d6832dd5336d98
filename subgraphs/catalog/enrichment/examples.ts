import { query, queryPrepared, SizedCache, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { truncate } from '../../../schema/text.ts';
import type { AttributeValues } from '../attributes/attribute-content.ts';
import type { Attribute } from '../attributes/entity.ts';
import { readValue } from '../extraction/constraints.ts';
import type { Example } from '../extraction/extraction-prompt.ts';
import type { Job } from '../jobs/entity.ts';
import type { Product } from '../products/entity.ts';

/** A product of the organization with values that people accepted. */
interface ProductExample extends Example {
  productId: string;
}

const MAX_EXAMPLES = 10;

interface Row {
  productId: string;
  text: string;
  values: AttributeValues;
}

/**
 * Examples for a product: the nearest by category, then by text. A rerun reuses the examples of the job whose sources it reuses; values
 * that changed since are read again.
 */
export async function findExamples(
  scope: Scope,
  job: Job,
  product: Product,
  attributes: readonly Attribute[],
): Promise<ProductExample[]> {
  if (!job.useExamples) return [];
  const slugs = attributes.map(({ slug }) => slug);
  const rows = (await readUsed(scope, job, product.id, slugs)) ?? (await readNearest(scope, product, slugs));
  return rows
    .map(({ productId: id, text, values }) => ({
      productId: id,
      text: truncate(text, MAX_EXAMPLE_TEXT),
      values: validValues(values, attributes),
    }))
    .filter(({ values }) => Object.keys(values).length > 0)
    .slice(0, MAX_EXAMPLES);
}

/** Drops values that no longer fit their attribute, because it was retyped or its options changed. */
const validValues = (values: AttributeValues, attributes: readonly Attribute[]): Example['values'] =>
  Object.fromEntries(
    attributes.flatMap(({ slug, type, options, constraints }) => {
      const stored = Object.hasOwn(values, slug) ? values[slug] : undefined;
      if (!stored || stored.value === null || stored.attributeType !== type) return [];
      const set = Object.fromEntries(Object.entries(constraints).filter(([, bound]) => bound !== null));
      const reading = readValue({ type, options, constraints: set }, stored.value);
      return 'fault' in reading || reading.value === null ? [] : [[slug, reading.value]];
    }),
  );

async function readUsed(scope: Scope, { evidenceJobId }: Job, productId: string, slugs: readonly string[]) {
  if (!evidenceJobId) return undefined;
  const [used] = await query(
    scope.em,
    sql<{ ids: string[] | null }>`select example_ids as ids from catalog.job_items
         where job_id = ${evidenceJobId} and product_id = ${productId} and organization_id = ${scope.organizationId} and status = 'completed'`,
  );
  return used?.ids ? readExamples(scope, used.ids, slugs) : undefined;
}

const readNearest = async (scope: Scope, product: Product, slugs: readonly string[]) =>
  readExamples(scope, await nearestExamples(scope, product, slugs, 2 * MAX_EXAMPLES), slugs);

/** Examples by id, in the given order. */
const readExamples = ({ em, organizationId }: Scope, ids: readonly string[], slugs: readonly string[]) =>
  queryPrepared(
    em,
    sql<Row>`select p.id as "productId", concat_ws(e'\n', ${EXAMPLE_TEXT}, p.brand) as text,
                    (select coalesce(jsonb_object_agg(s, p.attributes -> s), '{}') from unnest(${slugs}::text[]) s
                      where p.attributes ? s and catalog.is_accepted(p.provenance -> s)) as "values"
               from unnest(${ids}::uuid[]) with ordinality as used (id, place)
               join catalog.products p using (id) where p.organization_id = ${organizationId} order by used.place`,
  );

/** Products that are ranked by text, and index entries that are read per word. Both bound the work in a catalog of any size. */
const [MAX_RANKED, MAX_PER_WORD] = [60, 120];
/** Characters of a text, and of each of its sources. */
const MAX_EXAMPLE_TEXT = 1_000;

type Target = Pick<Product, 'id' | 'name' | 'userProvidedRawDataSources'>;

interface NearExample {
  id: string;
  /** `catalog.example_text`. */
  text: string;
  isSameCategory: boolean;
  /** Sum over the words that it shares with the target. */
  weight: number;
}

/** The ids of the examples that are nearest to a product and have any of these attributes: by category, then by text. */
async function nearestExamples(scope: Scope, target: Target, slugs: readonly string[], limit: number): Promise<string[]> {
  const text = textOf(target);
  const candidates = await readCandidates(scope, target.id, slugs);
  const order = (a: Ranked, b: Ranked) =>
    Number(b.isSameCategory) - Number(a.isSameCategory) ||
    b.similarity - a.similarity ||
    b.weight - a.weight ||
    (a.id < b.id ? -1 : 1);
  return candidates
    .map((each): Ranked => ({ ...each, similarity: similarity(text, each.text) }))
    .sort(order)
    .slice(0, limit)
    .map(({ id }) => id);
}

type Ranked = NearExample & { similarity: number };

/** `catalog.example_text` of a product. */
const textOf = ({ name, userProvidedRawDataSources: sources }: Target): string =>
  start(
    [
      name,
      sources
        .filter((source) => !/^\s*https?:\/\//i.test(source))
        .map(start)
        .join('\n'),
    ].join('\n'),
  );

/** The first characters, counted as PostgreSQL does. */
const start = (text: string): string =>
  text.length <= MAX_EXAMPLE_TEXT
    ? text
    : Array.from(text.slice(0, 2 * MAX_EXAMPLE_TEXT))
        .slice(0, MAX_EXAMPLE_TEXT)
        .join('');

/** `catalog.example_text` of the product `p`. A call of the function costs more than the text itself. */
const EXAMPLE_TEXT = sql<string>`left(p.name || e'\\n' || coalesce((select string_agg(left(s, ${sql.lit(MAX_EXAMPLE_TEXT)}), e'\\n' order by place)
  from unnest(p.user_provided_raw_data_sources) with ordinality as given (s, place) where s !~* '^\\s*https?://'), ''), ${sql.lit(MAX_EXAMPLE_TEXT)})`;

/** Reads a bounded number of index entries per word; a word weighs less the more entries it has. Limits are literals for the planner. */
const readCandidates = ({ em, organizationId }: Scope, productId: string, slugs: readonly string[]) =>
  queryPrepared(
    em,
    sql<NearExample>`with target as materialized (
            select catalog.category_key(p.category) as category_key, p.id,
                   coalesce((select e.buckets from catalog.examples e where e.product_id = p.id and e.organization_id = p.organization_id), catalog.example_buckets(p)) as buckets
              from catalog.products p where p.id = ${productId} and p.organization_id = ${organizationId}
          ), hits as (
            select h.product_id, 1.0 / count(*) over (partition by b.bucket) as weight
              from target t cross join lateral unnest(t.buckets) as b (bucket)
              cross join lateral (select product_id from catalog.example_terms where bucket = b.bucket and product_id <> t.id
                                   order by product_id limit ${sql.lit(MAX_PER_WORD)}) h
          ), nearest as materialized (
            select product_id, sum(weight) as weight from hits group by product_id order by weight desc, product_id limit ${sql.lit(MAX_RANKED)}
          )
          select p.id, n.weight::float8 as weight, e.category_key = t.category_key as "isSameCategory",
                 ${EXAMPLE_TEXT} as text
            from nearest n
            join catalog.examples e on e.product_id = n.product_id and e.organization_id = ${organizationId}
            join catalog.products p on p.id = n.product_id and p.organization_id = ${organizationId}
            cross join target t
           where p.attributes ?| ${slugs}::text[]`,
  );

/** The distinct trigrams of a text in ascending order. */
type Trigrams = Float64Array;

const WORD = /[\p{L}\p{N}]+/gu;
const UNIT = 2 ** 16;

/** The items of a job compare with the same texts again and again. */
const cache = new SizedCache<string, Trigrams>(8 * 1024 * 1024);
/** Estimated bytes of a trigram and of a character of its key. */
const [TRIGRAM, CHARACTER] = [8, 2];

/**
 * The similarity of two texts, 0 to 1, by the trigrams of their words, like `similarity` of PostgreSQL. The database computes the
 * trigrams of both texts in each comparison, which takes most of the time of a ranking.
 */
function similarity(first: string, second: string): number {
  const [a, b] = [trigramsOf(first), trigramsOf(second)];
  let [common, at] = [0, 0];
  for (const trigram of a) {
    while (at < b.length && b[at]! < trigram) at += 1;
    if (b[at] === trigram) common += 1;
  }
  const all = a.length + b.length - common;
  return all === 0 ? 0 : common / all;
}

function trigramsOf(text: string): Trigrams {
  const known = cache.get(text);
  if (known) return known;
  const found = new Set<number>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    const padded = `  ${word} `;
    for (let at = 0; at + 2 < padded.length; at += 1) {
      found.add((padded.charCodeAt(at) * UNIT + padded.charCodeAt(at + 1)) * UNIT + padded.charCodeAt(at + 2));
    }
  }
  const trigrams = Float64Array.from(found).sort();
  cache.set(text, trigrams, trigrams.length * TRIGRAM + text.length * CHARACTER);
  return trigrams;
}
