import { queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Product } from '../products/entity.ts';
import { similarity } from './trigrams.ts';

/** Products that are ranked by text, and index entries that are read per word. Both bound the work in a catalog of any size. */
const [MAX_RANKED, MAX_PER_WORD] = [60, 120];
/** Characters of a text, and of each of its sources. */
const MAX_TEXT = 1_000;

type Target = Pick<Product, 'id' | 'name' | 'userProvidedRawDataSources'>;

interface Candidate {
  id: string;
  /** `catalog.example_text`. */
  text: string;
  isSameCategory: boolean;
  /** Sum over the words that it shares with the target. */
  weight: number;
}

/** The ids of the examples that are nearest to a product and have any of these attributes: by category, then by text. */
export async function nearestExamples(scope: Scope, target: Target, slugs: readonly string[], limit: number): Promise<string[]> {
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

type Ranked = Candidate & { similarity: number };

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
  text.length <= MAX_TEXT
    ? text
    : Array.from(text.slice(0, 2 * MAX_TEXT))
        .slice(0, MAX_TEXT)
        .join('');

/** `catalog.example_text` of the product `p`. A call of the function costs more than the text itself. */
export const EXAMPLE_TEXT = sql<string>`left(p.name || e'\\n' || coalesce((select string_agg(left(s, ${sql.lit(MAX_TEXT)}), e'\\n' order by place)
  from unnest(p.user_provided_raw_data_sources) with ordinality as given (s, place) where s !~* '^\\s*https?://'), ''), ${sql.lit(MAX_TEXT)})`;

/** Reads a bounded number of index entries per word; a word weighs less the more entries it has. Limits are literals for the planner. */
const readCandidates = ({ em, organizationId }: Scope, productId: string, slugs: readonly string[]) =>
  queryPrepared(
    em,
    sql<Candidate>`with target as materialized (
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
