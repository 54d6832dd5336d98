import { query, sql } from '../../../platform/database/index.ts';
import { post, type VariantsRef } from '../../../platform/queues/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import type { Product } from './entity.ts';

/** The texts of a product. */
export const TEXTS = ['sku', 'name', 'brand', 'category', 'manufacturer', 'mpn', 'uom', 'externalId'] as const;
export type TextField = (typeof TEXTS)[number];

/** The fields that are written, with all that stay. */
export type WrittenFields = Pick<Product, TextField | 'parentId' | 'isParent'> & Partial<Pick<Product, 'archived'>>;

/** The new content of a product that exists. */
export interface WrittenContent {
  id: string;
  fields: WrittenFields;
  /** Undefined leaves them. */
  sources?: string[];
  /** The slugs of the values that change. They lose their origins. */
  edited: string[];
  /** Those of `edited` that have a value. */
  values: AttributeValues;
  origins: Provenances;
  /** Whether it is a parent that gets another name, which its variants show. */
  isRenamedParent: boolean;
}

/** Writes many products by one statement. The caller has locked and checked them. */
export async function writeContents(scope: Scope, contents: readonly WrittenContent[]): Promise<void> {
  if (contents.length === 0) return;
  const { em, organizationId } = scope;
  const given = contents.map(({ fields, isRenamedParent: _, ...rest }) => ({ ...fields, ...rest }));
  await query(
    em,
    sql`update catalog.products p set sku = g.sku, name = g.name, manufacturer = g.manufacturer, mpn = g.mpn, uom = g.uom, brand = g.brand,
               category = g.category, external_id = g."externalId", parent_id = g."parentId", is_parent = g."isParent",
               archived = coalesce(g.archived, p.archived), user_provided_raw_data_sources = coalesce(g.sources, p.user_provided_raw_data_sources),
               attributes = (p.attributes - g.edited) || g."values", provenance = (p.provenance - g.edited) || g.origins,
               updated_at = clock_timestamp()
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
               as g (id uuid, sku text, name text, manufacturer text, mpn text, uom text, brand text, category text, "externalId" text,
                     "parentId" uuid, "isParent" boolean, archived boolean, sources text[], edited text[], "values" jsonb, origins jsonb)
         where p.id = g.id and p.organization_id = ${organizationId}`,
  );
  const renamed = contents.filter(({ isRenamedParent }) => isRenamedParent).map(({ id }) => id);
  if (renamed.length > 0) await postTouches(scope, renamed);
}

/** Number of variants that one transaction locks. */
const BATCH = 500;

/**
 * Changes `updatedAt` of the next variants of a renamed product, because their `parentName` changed, and posts the message for the rest.
 * Not in the transaction of the name, which would hold the locks of all variants, in another order than their own changes.
 */
export async function touchVariants(scope: Scope, { parentId, after }: Pick<VariantsRef, 'parentId' | 'after'>): Promise<void> {
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const touched = await query(
      em,
      sql<{ id: string }>`
        with next as (
          select id from catalog.products
           where organization_id = ${organizationId} and parent_id = ${parentId} and (${after}::uuid is null or id > ${after}::uuid)
           order by id limit ${BATCH}::int for update),
        touched as (
          update catalog.products p set updated_at = greatest(clock_timestamp(), p.updated_at) from next where p.id = next.id returning p.id)
        select id from touched order by id desc`,
    );
    const [last] = touched;
    if (last && touched.length === BATCH) await postTouches(inner, [parentId], last.id);
  });
}

/**
 * Posts the messages to touch the variants of products, except where one that begins with the first variant is waiting. So a product that is
 * renamed many times has one message. The lock keeps that one from its handler until this transaction commits.
 */
export async function postTouches(scope: Scope, parentIds: readonly string[], after: string | null = null): Promise<void> {
  const { em, organizationId } = scope;
  const waiting = await query(
    em,
    sql<{ parentId: string }>`select payload ->> 'parentId' as "parentId" from identity.outbox
         where topic = 'variants.touch' and attempts = 0 and payload ->> 'parentId' = any(${parentIds}::text[]) and payload ->> 'after' is null
         for update skip locked`,
  );
  const known = new Set(waiting.map(({ parentId }) => parentId));
  const messages = parentIds.filter((id) => !known.has(id)).map((parentId) => ({ organizationId, parentId, after }));
  if (messages.length > 0) await post(scope, 'variants.touch', ...messages);
}

// A product can have many large values, so a change reads only those of the attributes that it concerns, and few products at a time.

type Fragment = ReturnType<typeof sql>;

/** SQL of the values, or of their origins, of some attributes. `product` is an alias, and `slugs` an array. */
export const pickedValues = (product: string, column: 'attributes' | 'provenance', slugs: Fragment): Fragment => {
  const values = sql.raw(`${product}.${column}`);
  return sql`coalesce((select jsonb_object_agg(s, ${values} -> s) from unnest(${slugs}) s where ${values} ? s), '{}')`;
};

/** SQL of the bytes of the values of some attributes with their origins. */
export const pickedBytes = (product: string, slugs: Fragment): Fragment => {
  const [values, origins] = [sql.raw(`${product}.attributes`), sql.raw(`${product}.provenance`)];
  return sql`(select coalesce(sum(octet_length((${values} -> s)::text) + coalesce(octet_length((${origins} -> s)::text), 0)), 0)::float8
                from unnest(${slugs}) s where ${values} ? s)`;
};

/** Divides rows into parts of at most so many bytes, in their order. A larger row is a part of its own. */
export function partsOf<Row>(rows: readonly Row[], bytesOf: (row: Row) => number, max: number): Row[][] {
  const parts: Row[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    bytes += bytesOf(row);
    if (bytes > max) {
      parts.push([]);
      bytes = bytesOf(row);
    }
    parts.at(-1)!.push(row);
  }
  return parts;
}
