import { query, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import { Product } from '../products/entity.ts';
import type { TextField } from '../products/write-contents.ts';
import { partsOf, pickedBytes, pickedValues } from '../products/write-contents.ts';
import type { ImportItem } from './entity.ts';

/** How items change products that exist. */
export interface UpdateOptions {
  matchBy: EnumValue<'ImportMatch'>;
  emptyCells: EnumValue<'EmptyCells'>;
  /** The values that an item may replace. */
  overwrite: EnumValue<'OverwriteMode'>;
}

/** The parts of an item that its product gets. */
export type Item = Pick<ImportItem, 'id' | 'type' | 'data' | 'details'>;

/** A product with the values that an item concerns. */
export interface KnownProduct extends Pick<Product, 'id' | TextField | 'parentId' | 'isParent'> {
  key: string;
  parent: Pick<Product, 'sku' | 'name' | 'externalId'> | null;
  sources: string[];
  attributes: AttributeValues;
  provenance: Provenances;
  /** The bytes of its other values, by `catalog.values_size`. */
  otherBytes: number;
}

/** The key by which an item finds its product; empty if the file states none. */
export const keyOf = ({ data }: Pick<Item, 'data'>, matchBy: UpdateOptions['matchBy']): string =>
  (matchBy === 'sku' ? data.sku : data.externalId) ?? '';

/** The key of the product of an item, and the values that it concerns. */
export interface ItemTarget {
  key: string;
  slugs: string[];
}

export const wantedOf = (item: Item, matchBy: UpdateOptions['matchBy']): ItemTarget => ({
  key: keyOf(item, matchBy),
  slugs: [...new Set([...item.details.values.map(({ slug }) => slug), ...item.details.empty.slugs])],
});

/** A product that an item concerns, before its values are read. */
export interface Located extends ItemTarget {
  id: string;
  /** Of the values that the item concerns with their origins, and of the sources. */
  bytes: number;
}

const SLUGS = sql.raw('g.slugs');

/** Finds the products of items. Several items may concern one product, each with other values. */
async function locate(
  { em, organizationId }: Scope,
  wanted: readonly ItemTarget[],
  matchBy: UpdateOptions['matchBy'],
  { isLocked = false } = {},
): Promise<Located[]> {
  const keys = [...Map.groupBy(wanted, ({ key }) => key)]
    .filter(([key]) => key !== '')
    .map(([key, same]) => ({ key, slugs: [...new Set(same.flatMap(({ slugs }) => slugs))] }));
  if (keys.length === 0) return [];
  const column = sql.raw(matchBy === 'sku' ? 'p.sku' : 'p.external_id');
  return query(
    em,
    sql<Located>`select g.key, g.slugs, p.id, identity.text_bytes(p.user_provided_raw_data_sources) + ${pickedBytes('p', SLUGS)} as bytes
          from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as g (key text, slugs text[])
          join catalog.products p on ${column} = g.key and p.organization_id = ${organizationId}
         order by p.id ${sql.raw(isLocked ? 'for update of p' : '')}`,
  );
}

/** The products with the values that their items concern. */
async function readLocated(scope: Scope, located: readonly Located[]): Promise<KnownProduct[]> {
  if (located.length === 0) return [];
  return query(
    scope.em,
    sql<KnownProduct>`select g.key, p.id, p.sku, p.name, p.brand, p.category, p.manufacturer, p.mpn, p.uom, p.external_id as "externalId",
               p.parent_id as "parentId",
               (select jsonb_build_object('sku', q.sku, 'name', q.name, 'externalId', q.external_id) from catalog.products q
                 where q.id = p.parent_id) as parent, p.is_parent as "isParent", p.user_provided_raw_data_sources as sources,
               ${pickedValues('p', 'attributes', SLUGS)} as attributes, ${pickedValues('p', 'provenance', SLUGS)} as provenance,
               catalog.values_size(p.attributes - g.slugs)::float8 as "otherBytes"
          from jsonb_to_recordset(${JSON.stringify(located)}::jsonb) as g (key text, id uuid, slugs text[])
          join catalog.products p on p.id = g.id and p.organization_id = ${scope.organizationId}`,
  );
}

/** The products of the items of a page, by key. Their bytes count against the answer budget before they are read. */
export async function readKnown(
  scope: RequestScope,
  wanted: readonly ItemTarget[],
  matchBy: UpdateOptions['matchBy'],
): Promise<Map<string, KnownProduct>> {
  const located = await locate(scope, wanted, matchBy);
  scope.budget?.read(located.reduce((sum, { bytes }) => sum + bytes, 0));
  return new Map((await readLocated(scope, located)).map((product) => [product.key, product]));
}

/** Bytes of products that are read at a time. Those of one product can be more. */
const PART = 8_000_000;

/** Divides items into parts, in their order, whose products are read together. */
export async function* withProducts<Row extends { id: string }>(
  scope: Scope,
  rows: readonly Row[],
  located: ReadonlyMap<string, Located>,
): AsyncGenerator<[Row, KnownProduct | undefined][]> {
  for (const part of partsOf(rows, ({ id }) => located.get(id)?.bytes ?? 0, PART)) {
    const wanted = part.flatMap(({ id }) => located.get(id) ?? []);
    const known = new Map((await readLocated(scope, wanted)).map((product) => [product.id, product]));
    yield part.map((row): [Row, KnownProduct | undefined] => [row, known.get(located.get(row.id)?.id ?? '')]);
  }
}

/** Parents that share the names of families. */
const MAX_PARENTS = 5_000;

/** The products of items by item id, locked. A family that no row states is found by its name as well. */
export async function locateProducts(scope: Scope, rows: Item[], { matchBy }: UpdateOptions): Promise<Map<string, Located>> {
  const wanted = rows.map((row) => wantedOf(row, matchBy));
  const byKey = new Map((await locate(scope, wanted, matchBy, { isLocked: true })).map((each) => [each.key, each]));
  const found = new Map(
    rows.flatMap((row) => {
      const product = byKey.get(keyOf(row, matchBy));
      return product ? [[row.id, product] as const] : [];
    }),
  );
  const unstated = rows.filter(({ id, type, details }) => type === 'family' && details.rows.length === 0 && !found.has(id));
  if (unstated.length === 0) return found;
  const names = unstated.map(({ data }) => data.name);
  const parents = await scope.em.find(
    Product,
    { name: { $in: names }, isParent: true },
    { fields: ['sku', 'name'], limit: MAX_PARENTS },
  );
  const skus = new Map(
    [...Map.groupBy(parents, ({ name }) => name)].flatMap(([name, same]) => (same.length === 1 ? [[name, same[0]!.sku]] : [])),
  );
  const named = await locate(
    scope,
    skus
      .values()
      .map((sku) => ({ key: sku, slugs: [] }))
      .toArray(),
    'sku',
    { isLocked: true },
  );
  const bySku = new Map(named.map((each) => [each.key, each]));
  for (const { id, data } of unstated) {
    const product = bySku.get(skus.get(data.name) ?? '');
    if (product) found.set(id, product);
  }
  return found;
}
