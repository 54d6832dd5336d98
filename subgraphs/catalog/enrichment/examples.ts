import { query, sql } from '../../common/database.ts';
import { readValue } from '../../common/model/constraints.ts';
import type { Demonstration } from '../../common/model/prompt.ts';
import type { Scope } from '../../common/scope.ts';
import type { Attribute } from '../attributes/entity.ts';
import type { AttributeValues } from '../attributes/values.ts';
import type { Job } from '../jobs/entity.ts';

/** A product of the organization with values that people accepted. */
export interface Example extends Demonstration {
  productId: string;
}

const MAX_EXAMPLES = 10;
/** Products that are ranked by text, and index entries that are read per word. Both bound the work in a catalog of any size. */
const [MAX_RANKED, MAX_PER_WORD] = [60, 120];
const MAX_TEXT = 1_000;

interface Row {
  productId: string;
  text: string;
  values: AttributeValues;
}

/** The accepted values of a product for these slugs, and its text. */
const EXAMPLE = (slugs: readonly string[]) => sql`p.id as "productId",
  concat_ws(e'\n', catalog.example_text(p.name, p.user_provided_raw_data_sources), p.brand) as text,
  (select coalesce(jsonb_object_agg(s, p.attributes -> s), '{}') from unnest(${slugs}::text[]) s
    where p.attributes ? s and catalog.is_accepted(p.provenance -> s)) as "values"`;

/**
 * Examples for a product: the nearest by category, then by text. A rerun reuses the examples of the job whose sources it reuses; values
 * that changed since are read again.
 */
export async function findExamples(
  scope: Scope,
  job: Job,
  productId: string,
  attributes: readonly Attribute[],
): Promise<Example[]> {
  if (!job.useExamples) return [];
  const slugs = attributes.map(({ slug }) => slug);
  const rows = (await readUsed(scope, job, productId, slugs)) ?? (await readNearest(scope, productId, slugs));
  return rows
    .map(({ productId: id, text, values }) => ({
      productId: id,
      text: text.slice(0, MAX_TEXT),
      values: validValues(values, attributes),
    }))
    .filter(({ values }) => Object.keys(values).length > 0)
    .slice(0, MAX_EXAMPLES);
}

/** Drops values that no longer fit their attribute, because it was retyped or its options changed. */
const validValues = (values: AttributeValues, attributes: readonly Attribute[]): Demonstration['values'] =>
  Object.fromEntries(
    attributes.flatMap(({ slug, type, options, constraints }) => {
      const stored = Object.hasOwn(values, slug) ? values[slug] : undefined;
      if (!stored || stored.value === null || stored.attributeType !== type) return [];
      const set = Object.fromEntries(Object.entries(constraints).filter(([, bound]) => bound !== null));
      const reading = readValue({ type, options, constraints: set }, stored.value);
      return 'fault' in reading || reading.value === null ? [] : [[slug, reading.value]];
    }),
  );

async function readUsed({ em, organizationId }: Scope, { evidenceJobId }: Job, productId: string, slugs: readonly string[]) {
  if (!evidenceJobId) return undefined;
  const [used] = await query(
    em,
    sql<{ ids: string[] | null }>`select example_ids as ids from catalog.job_items
         where job_id = ${evidenceJobId} and product_id = ${productId} and organization_id = ${organizationId} and status = 'completed'`,
  );
  if (!used?.ids) return undefined;
  return query(
    em,
    sql<Row>`select ${EXAMPLE(slugs)} from unnest(${used.ids}::uuid[]) with ordinality as used (id, place)
          join catalog.products p using (id) where p.organization_id = ${organizationId} order by used.place`,
  );
}

/** Reads a bounded number of index entries per word; a word weighs less the more entries it has. */
const readNearest = ({ em, organizationId }: Scope, productId: string, slugs: readonly string[]) =>
  query(
    em,
    sql<Row>`with target as materialized (
            select p.id, catalog.category_key(p.category) as category_key, catalog.example_buckets(p) as buckets,
                   catalog.example_text(p.name, p.user_provided_raw_data_sources) as text
              from catalog.products p where p.id = ${productId} and p.organization_id = ${organizationId}
          ), hits as (
            select h.product_id, 1.0 / count(*) over (partition by b.bucket) as weight
              from target t cross join lateral unnest(t.buckets) as b (bucket)
              cross join lateral (select product_id from catalog.example_terms where bucket = b.bucket and product_id <> t.id
                                   order by product_id limit ${MAX_PER_WORD}::int) h
          ), nearest as materialized (
            select product_id, sum(weight) as weight from hits group by product_id order by weight desc, product_id limit ${MAX_RANKED}::int
          )
          select ${EXAMPLE(slugs)} from nearest n
            join catalog.examples e on e.product_id = n.product_id and e.organization_id = ${organizationId}
            join catalog.products p on p.id = n.product_id and p.organization_id = ${organizationId}
            cross join target t
           where p.attributes ?| ${slugs}::text[]
           order by e.category_key = t.category_key desc,
                    similarity(t.text, catalog.example_text(p.name, p.user_provided_raw_data_sources)) desc, n.weight desc, p.id
           limit ${2 * MAX_EXAMPLES}::int`,
  );
