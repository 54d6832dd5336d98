import { isDeepStrictEqual } from 'node:util';
import { v7 as uuid } from 'uuid';
import { canonicalId, clock, insertRows, isId, query, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import { readAttributeValues } from '../attributes/read-values.ts';
import { MAX_BYTES } from '../attributes/service.ts';
import { labelValues } from '../calibration/calibrate.ts';
import { Product } from './entity.ts';
import { retryAtConflict } from './service.ts';
import type { ProductUpsert, UpsertArguments, UpsertedProduct } from './upsert-types.ts';
import { postTouches } from './variants.ts';

const TEXTS = ['sku', 'name', 'manufacturer', 'mpn', 'uom', 'brand', 'category', 'externalId'] as const;

/** A product with the content that the request concerns. */
interface Stored extends Pick<Product, 'id' | (typeof TEXTS)[number] | 'parentId' | 'isParent'> {
  /** Null unless the request has them. */
  sources: string[] | null;
  attributes: AttributeValues;
  provenance: Provenances;
  /** Of all values. */
  bytes: number;
}

/** A product of the request, with the key by which it is found. */
interface Row {
  index: number;
  key: string;
  input: ProductUpsert;
  values: AttributeValues;
}

/**
 * Creates the products that do not exist, and changes the others. Each product has its own result, and one that is refused leaves the others as
 * they are. A repeated request changes nothing.
 */
export async function upsertProducts(scope: RequestScope, { matchBy, products }: UpsertArguments): Promise<UpsertedProduct[]> {
  const maps = await readAttributeValues(
    scope,
    products.map(({ attributes }) => attributes ?? {}),
  );
  const rows = products.map((input, index): Row => ({ index, key: input[matchBy] ?? '', input, values: maps[index]! }));
  return retryAtConflict(() => scope.write((inner) => upsertRows(inner, matchBy, rows)));
}

type MatchBy = EnumValue<'ImportMatch'>;

async function upsertRows(scope: Scope, matchBy: MatchBy, rows: readonly Row[]): Promise<UpsertedProduct[]> {
  const results: UpsertedProduct[] = [];
  const seen = new Set<string>();
  const known: Row[] = [];
  for (const row of rows) {
    const message = row.key === '' ? `${matchBy} is required` : seen.has(row.key) ? `${matchBy} is repeated in the request` : null;
    seen.add(row.key);
    if (message) results.push(refused(row, message));
    else known.push(row);
  }
  // Parents first, because variants of the same request may name them.
  for (const isVariant of [false, true]) {
    const part = known.filter(({ input }) => Boolean(input.parentId || input.parentKey) === isVariant);
    if (part.length > 0) results.push(...(await upsertPart(scope, matchBy, part)));
  }
  return results.toSorted((a, b) => a.index - b.index);
}

const refused = ({ index, key }: Row, message: string): UpsertedProduct => ({ index, key, id: null, outcome: 'refused', message });

async function upsertPart(scope: Scope, matchBy: MatchBy, rows: readonly Row[]): Promise<UpsertedProduct[]> {
  const parents = await readParents(scope, matchBy, rows);
  const stored = await readStored(scope, matchBy, rows);
  const taken = await readTaken(scope, rows);
  const results: UpsertedProduct[] = [];
  const created: Product[] = [];
  const updated: { before: Stored; after: Stored; values: AttributeValues }[] = [];
  for (const row of rows) {
    const before = stored.get(row.key);
    const parent = parentOf(row, parents);
    const after = merged(row, before, parent);
    const fault = parent === null ? 'The parent does not exist, or is none' : faultOf(row, before, after, taken);
    if (fault) {
      results.push(refused(row, fault));
      continue;
    }
    const outcome = before ? (isDeepStrictEqual(before, after) ? 'unchanged' : 'updated') : 'created';
    results.push({ index: row.index, key: row.key, id: after.id, outcome, message: null });
    for (const key of KEYS) if (after[key] !== null) taken[key].set(after[key], after.id);
    if (outcome === 'created') created.push(newRow(scope, after));
    if (outcome === 'updated') updated.push({ before: before!, after, values: row.values });
  }
  await insertRows(
    scope,
    Product,
    created.toSorted((a, b) => (a.sku < b.sku ? -1 : 1)),
  );
  await writeUpdated(scope, updated);
  return results;
}

/** The parents by key or id. They stay parents until the commit. */
async function readParents({ em, organizationId }: Scope, matchBy: MatchBy, rows: readonly Row[]): Promise<Map<string, string>> {
  const ids = rows.flatMap(({ input }) => (input.parentId && isId(input.parentId) ? [canonicalId(input.parentId)] : []));
  const keys = rows.flatMap(({ input }) => input.parentKey ?? []);
  if (ids.length + keys.length === 0) return new Map();
  const column = sql.raw(matchBy === 'sku' ? 'sku' : 'external_id');
  const found = await query(
    em,
    sql<{ id: string; key: string | null }>`select id, ${column} as key from catalog.products
         where organization_id = ${organizationId} and is_parent and (id = any(${ids}::uuid[]) or ${column} = any(${keys}::text[]))
         order by id for share`,
  );
  return new Map(found.flatMap(({ id, key }) => [[`id ${id}`, id] as const, [`key ${key}`, id] as const]));
}

/** The id of the parent, null if it does not exist, and undefined if the request names none. */
function parentOf({ input: { parentId, parentKey } }: Row, parents: ReadonlyMap<string, string>): string | null | undefined {
  if (parentId) return parents.get(`id ${canonicalId(parentId)}`) ?? null;
  return parentKey ? (parents.get(`key ${parentKey}`) ?? null) : undefined;
}

async function readStored({ em, organizationId }: Scope, matchBy: MatchBy, rows: readonly Row[]): Promise<Map<string, Stored>> {
  const column = sql.raw(matchBy === 'sku' ? 'p.sku' : 'p.external_id');
  const picked = (name: 'attributes' | 'provenance') =>
    sql.raw(`coalesce((select jsonb_object_agg(s, p.${name} -> s) from unnest(g.slugs) s where p.${name} ? s), '{}') as ${name}`);
  const given = rows.map(({ key, input, values }) => ({
    key,
    slugs: Object.keys(values),
    sourced: input.userProvidedRawDataSources != null,
  }));
  const found = await query(
    em,
    sql<Stored & { key: string }>`select g.key, p.id, p.sku, p.name, p.manufacturer, p.mpn, p.uom, p.brand, p.category,
               p.external_id as "externalId", p.parent_id as "parentId", p.is_parent as "isParent",
               case when g.sourced then p.user_provided_raw_data_sources end as sources,
               ${picked('attributes')}, ${picked('provenance')}, octet_length(p.attributes::text) as bytes
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (key text, slugs text[], sourced boolean)
          join catalog.products p on ${column} = g.key and p.organization_id = ${organizationId}
         order by p.id for update of p`,
  );
  return new Map(found.map(({ key, ...product }) => [key, product]));
}

const KEYS = ['sku', 'externalId'] as const;
type Taken = Record<(typeof KEYS)[number], Map<string, string>>;

/** The products that have a key of the request, by key. */
async function readTaken({ em, organizationId }: Scope, rows: readonly Row[]): Promise<Taken> {
  const [skus, externalIds] = KEYS.map((key) => rows.flatMap(({ input }) => input[key] ?? []));
  const found = await query(
    em,
    sql<Pick<Product, 'id' | 'sku' | 'externalId'>>`select id, sku, external_id as "externalId" from catalog.products
         where organization_id = ${organizationId} and (sku = any(${skus!}::text[]) or external_id = any(${externalIds!}::text[]))`,
  );
  return {
    sku: new Map(found.map(({ sku, id }) => [sku, id])),
    externalId: new Map(found.flatMap(({ externalId, id }) => (externalId === null ? [] : [[externalId, id]]))),
  };
}

/** The product after the request. Omitted fields stay, null clears a field, and values are merged by slug. */
function merged({ input, values }: Row, before: Stored | undefined, parent: string | null | undefined): Stored {
  const base: Stored = before ?? {
    ...{ id: uuid(), sku: '', name: '', manufacturer: null, mpn: null, uom: null, brand: null, category: null, externalId: null },
    ...{ parentId: null, isParent: false, sources: null, attributes: {}, provenance: {}, bytes: 0 },
  };
  const texts = Object.fromEntries(TEXTS.flatMap((field) => (input[field] === undefined ? [] : [[field, input[field]]])));
  const isKept = (slug: string) => !Object.hasOwn(values, slug) || isDeepStrictEqual(base.attributes[slug], values[slug]);
  return {
    ...base,
    ...(texts as Partial<Stored>),
    isParent: input.isParent ?? base.isParent,
    parentId: parent === undefined ? (input.parentId === null || input.parentKey === null ? null : base.parentId) : parent,
    sources: input.userProvidedRawDataSources ?? base.sources,
    attributes: values,
    provenance: Object.fromEntries(Object.entries(base.provenance).filter(([slug]) => isKept(slug))),
  };
}

/** Why a product is refused, as a sentence; undefined if it is not. */
function faultOf({ input }: Row, before: Stored | undefined, after: Stored, taken: Taken): string | undefined {
  if (!before && !input.sku) return 'sku is required for a new product';
  if (!before && !input.name) return 'name is required for a new product';
  if (after.isParent && after.parentId) return 'A product cannot be both a parent and a variant';
  if (after.parentId === after.id) return 'A product cannot be its own parent';
  if (before?.isParent && !after.isParent) return 'A parent stays one: use updateProduct once it has no variants';
  for (const key of KEYS) {
    const value = after[key];
    const owner = value === null ? undefined : taken[key].get(value);
    if (owner !== undefined && owner !== after.id) return `Another product has this ${key}: ${value}`;
  }
  return after.bytes + JSON.stringify(after.attributes).length > MAX_BYTES ? 'The values are too large' : undefined;
}

function newRow({ organizationId }: Scope, { sources, bytes: _, ...product }: Stored): Product {
  const now = clock.now();
  const state = { enriched: false, archived: false, createdAt: now, updatedAt: now };
  return { ...product, ...state, organizationId, userProvidedRawDataSources: sources ?? [] };
}

async function writeUpdated(
  scope: Scope,
  updates: readonly { before: Stored; after: Stored; values: AttributeValues }[],
): Promise<void> {
  if (updates.length === 0) return;
  const { em, organizationId } = scope;
  const judged = updates.flatMap(({ before, values }) =>
    Object.entries(before.provenance).flatMap(([slug, origin]) =>
      Object.hasOwn(values, slug)
        ? [{ slug, origin, isRight: isDeepStrictEqual(values[slug]!.value, before.attributes[slug]?.value) }]
        : [],
    ),
  );
  await labelValues(scope, 'edit', judged);
  const given = updates.map(({ after }) => ({ ...after, slugs: Object.keys(after.attributes) }));
  await query(
    em,
    sql`update catalog.products p set sku = g.sku, name = g.name, manufacturer = g.manufacturer, mpn = g.mpn, uom = g.uom, brand = g.brand,
               category = g.category, external_id = g."externalId", parent_id = g."parentId", is_parent = g."isParent",
               user_provided_raw_data_sources = coalesce(g.sources, p.user_provided_raw_data_sources), attributes = p.attributes || g.attributes,
               provenance = (p.provenance - g.slugs) || g.provenance, updated_at = clock_timestamp()
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
               as g (id uuid, sku text, name text, manufacturer text, mpn text, uom text, brand text, category text, "externalId" text,
                     "parentId" uuid, "isParent" boolean, sources text[], attributes jsonb, provenance jsonb, slugs text[])
         where p.id = g.id and p.organization_id = ${organizationId}`,
  );
  const renamed = updates.filter(({ before, after }) => before.isParent && before.name !== after.name).map(({ after }) => after.id);
  if (renamed.length > 0) await postTouches(scope, renamed);
}
