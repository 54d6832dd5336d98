import { query, queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { truncate } from '../../../schema/text.ts';
import type { Attribute } from '../attributes/entity.ts';
import type { AttributeValues } from '../attributes/values.ts';
import { readValue } from '../extraction/constraints.ts';
import type { Demonstration } from '../extraction/prompt.ts';
import type { Job } from '../jobs/entity.ts';
import type { Product } from '../products/entity.ts';
import { EXAMPLE_TEXT, nearestExamples } from './nearest-examples.ts';

/** A product of the organization with values that people accepted. */
export interface Example extends Demonstration {
  productId: string;
}

const MAX_EXAMPLES = 10;
const MAX_TEXT = 1_000;

interface Row {
  productId: string;
  text: string;
  values: AttributeValues;
}

/**
 * Examples for a product: the nearest by category, then by text. A rerun reuses the examples of the job whose sources it reuses; values
 * that changed since are read again.
 */
export async function findExamples(scope: Scope, job: Job, product: Product, attributes: readonly Attribute[]): Promise<Example[]> {
  if (!job.useExamples) return [];
  const slugs = attributes.map(({ slug }) => slug);
  const rows = (await readUsed(scope, job, product.id, slugs)) ?? (await readNearest(scope, product, slugs));
  return rows
    .map(({ productId: id, text, values }) => ({
      productId: id,
      text: truncate(text, MAX_TEXT),
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
