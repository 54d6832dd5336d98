import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import type { Product } from './entity.ts';
import { postTouches } from './variants.ts';

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
