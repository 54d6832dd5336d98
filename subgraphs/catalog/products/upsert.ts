import { isDeepStrictEqual } from 'node:util';
import { Args, Authorized, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { canonicalId, clock, insertRows, isId, query, sql } from '../../../platform/database/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeValues } from '../attributes/attribute-content.ts';
import { isTooLarge } from '../attributes/service.ts';
import { readAttributeValues, readLimits, type ValueFault } from '../attributes/value-faults.ts';
import { type JudgedValue, labelValues } from '../calibration/calibrate.ts';
import { Product } from './entity.ts';
import { retryAtConflict } from './service.ts';
import { type ProductUpsert, UpsertArguments, UpsertedProduct } from './types.ts';
import { TEXTS, type TextField, writeContents } from './write-contents.ts';

@Resolver(() => UpsertedProduct)
export class UpsertResolver {
  @Authorized('member')
  @ListSize(1_000)
  @Mutation(() => [UpsertedProduct], {
    description:
      'Create or change up to 1,000 products by SKU or external id. Each has its own result, in the order of the request; a refused one does not affect the others. A repeated request changes nothing.',
  })
  upsertProducts(@Ctx() scope: RequestScope, @Args(() => UpsertArguments) request: UpsertArguments): Promise<UpsertedProduct[]> {
    return upsertProducts(scope, request);
  }

  @FieldResolver(() => Product, {
    nullable: true,
    description: 'The product after the request, also a refused one. Null if there is none.',
  })
  product(@Ctx() scope: RequestScope, @Root() { productId }: UpsertedProduct) {
    return productId ? scope.load(Product, productId) : null;
  }
}

type Content = Pick<Product, 'id' | TextField | 'parentId' | 'isParent'>;

/** A stored product, compared with the request. Its values and sources can be large, so PostgreSQL compares them. */
interface Stored extends Content {
  /** The slugs of the request with another value, or another name or type. */
  changed: string[];
  areSourcesChanged: boolean;
  /** The slugs of values that are neither those that the request expects nor those that it writes. */
  unexpected: string[];
  /** Values of the request that a job wrote before, and whether they are the same. */
  judged: JudgedValue[];
  /** The bytes of the values that the request does not have, by `catalog.values_size`. */
  otherBytes: number;
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
async function upsertProducts(
  scope: RequestScope,
  { matchBy, products, checksLimits }: UpsertArguments,
): Promise<UpsertedProduct[]> {
  const maps = await readAttributeValues(
    scope,
    products.map(({ attributes }) => attributes ?? {}),
  );
  const isById = products.some(({ id }) => id != null);
  if (isById && products.some(({ id }) => id == null)) throw fail('INVALID_INPUT', 'either all products or none must have an id');
  const keyOf = (input: ProductUpsert) => (isById ? canonicalId(input.id!) : input[matchBy]) ?? '';
  const rows = products.map((input, index): Row => ({ index, key: keyOf(input), input, values: maps[index]! }));
  const slugs = checksLimits ? rows.flatMap(({ values }) => Object.keys(values)) : [];
  const limits = slugs.length > 0 ? await readLimits(scope, slugs) : () => [];
  return retryAtConflict(() => scope.write((inner) => upsertRows(inner, matchBy, rows, limits)));
}

type Limits = (values: AttributeValues) => ValueFault[];

type MatchBy = EnumValue<'ImportMatch'>;

async function upsertRows(scope: Scope, matchBy: MatchBy, rows: readonly Row[], limits: Limits): Promise<UpsertedProduct[]> {
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
    if (part.length > 0) results.push(...(await upsertPart(scope, matchBy, part, limits)));
  }
  return results.toSorted((a, b) => a.index - b.index);
}

const refused = ({ index, key }: Row, message: string, before?: Stored, faults: ValueFault[] = []): UpsertedProduct => ({
  ...{ index, key, id: null, productId: before?.id ?? null, outcome: 'refused', message, faults, changedFields: [] },
});

const CHANGED = 'Somebody changed the value meanwhile.';

async function upsertPart(scope: Scope, matchBy: MatchBy, rows: readonly Row[], limits: Limits): Promise<UpsertedProduct[]> {
  const parents = await readParents(scope, matchBy, rows);
  const stored = await readStored(scope, matchBy, rows);
  const taken = await readTaken(scope, rows);
  const results: UpsertedProduct[] = [];
  const created: Product[] = [];
  const updated: Update[] = [];
  for (const row of rows) {
    const before = stored.get(row.key);
    const parent = parentOf(row, parents);
    const content = before && contentOf(before);
    const after = merged(row, content, parent);
    const fault = parent === null ? 'The parent does not exist, or is none' : faultOf(row, before, after, taken);
    const unexpected = before?.unexpected.map((slug) => ({ slug, message: CHANGED })) ?? [];
    const overLimit = limits(before ? changedValues(row, before) : row.values);
    if (fault) {
      results.push(refused(row, fault, before));
      continue;
    }
    const changedFields = before ? unexpectedFields(row, before, after) : [];
    if (unexpected.length + changedFields.length > 0) {
      results.push({ ...refused(row, CHANGED, before, unexpected), outcome: 'conflict', changedFields });
      continue;
    }
    if (overLimit.length > 0) {
      results.push(refused(row, overLimit.map(({ message }) => message).join(' '), before, overLimit));
      continue;
    }
    const isSame = before?.changed.length === 0 && !before.areSourcesChanged && isDeepStrictEqual(content, after);
    const outcome = before ? (isSame ? 'unchanged' : 'updated') : 'created';
    results.push({
      index: row.index,
      key: row.key,
      id: after.id,
      productId: after.id,
      outcome,
      message: null,
      faults: [],
      changedFields: [],
    });
    for (const key of KEYS) if (after[key] !== null) taken[key].set(after[key], after.id);
    if (outcome === 'created') created.push(newRow(scope, row, after));
    if (outcome === 'updated') updated.push({ before: before!, after, row });
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
  const isById = rows[0]!.input.id != null;
  const column = sql.raw(isById ? 'p.id::text' : matchBy === 'sku' ? 'p.sku' : 'p.external_id');
  const condition = isById ? sql`p.id = any(${rows.map(({ key }) => key).filter(isId)}::uuid[])` : sql`true`;
  const given = rows.map(({ key, input, values }) => ({
    ...{ key, values, sources: sourcesOf(input) ?? null, expected: input.expectedAttributes ?? {} },
  }));
  const found = await query(
    em,
    sql<Stored & { key: string }>`select g.key, p.id, p.sku, p.name, p.manufacturer, p.mpn, p.uom, p.brand, p.category,
               p.external_id as "externalId", p.parent_id as "parentId", p.is_parent as "isParent",
               coalesce(g.sources <> p.user_provided_raw_data_sources, false) as "areSourcesChanged",
               array(select v.key from jsonb_each(g."values") v where v.value is distinct from p.attributes -> v.key) as changed,
               array(select e.key from jsonb_each(g.expected) e
                      where coalesce(e.value -> 'value', 'null') <> coalesce(p.attributes -> e.key -> 'value', 'null')
                        and p.attributes -> e.key -> 'value' is distinct from g."values" -> e.key -> 'value') as unexpected,
               array(select jsonb_build_object('slug', v.key, 'isRight', v.value -> 'value' is not distinct from p.attributes -> v.key -> 'value',
                                               'origin', (p.provenance -> v.key) - array['snippet', 'sourceTitle', 'sourceUrl'])
                       from jsonb_each(g."values") v where p.provenance ? v.key) as judged,
               catalog.values_size(p.attributes - array(select jsonb_object_keys(g."values")))::float8 as "otherBytes"
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (key text, "values" jsonb, sources text[], expected jsonb)
          join catalog.products p on ${column} = g.key and p.organization_id = ${organizationId} and ${condition}
         order by p.id for update of p`,
  );
  return new Map(found.map(({ key, ...product }) => [key, product]));
}

/** The sources of the request; undefined if it has none. Null clears them. */
const sourcesOf = ({ userProvidedRawDataSources: sources }: ProductUpsert) => (sources === undefined ? undefined : (sources ?? []));

/** The fields that are neither those that the request expects nor those that it writes. */
const unexpectedFields = ({ input: { expectedFields } }: Row, before: Content, after: Content): string[] =>
  TEXTS.filter((field) => {
    const expected = expectedFields?.[field];
    return expected !== undefined && before[field] !== after[field] && (before[field] ?? '') !== (expected ?? '');
  });

const contentOf = (stored: Stored): Content => {
  const { changed: _, areSourcesChanged: __, unexpected: ___, judged: ____, otherBytes: _____, ...content } = stored;
  return content;
};

const changedValues = ({ values }: Row, { changed }: Stored): AttributeValues =>
  Object.fromEntries(changed.map((slug) => [slug, values[slug]!]));

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

/** The product after the request. Omitted fields stay, and null clears a field. */
function merged({ input }: Row, before: Content | undefined, parent: string | null | undefined): Content {
  const base: Content = before ?? {
    ...{ id: uuid(), sku: '', name: '', manufacturer: null, mpn: null, uom: null, brand: null, category: null, externalId: null },
    ...{ parentId: null, isParent: false },
  };
  const texts = Object.fromEntries(TEXTS.flatMap((field) => (input[field] === undefined ? [] : [[field, input[field]]])));
  return {
    ...base,
    ...(texts as Partial<Content>),
    isParent: input.isParent === undefined ? base.isParent : (input.isParent ?? false),
    parentId: parent === undefined ? (input.parentId === null || input.parentKey === null ? null : base.parentId) : parent,
  };
}

/** Why a product is refused, as a sentence; undefined if it is not. */
function faultOf({ input, values }: Row, before: Stored | undefined, after: Content, taken: Taken): string | undefined {
  if (!before && (input.id || input.expectedAttributes || input.expectedFields)) return 'The product does not exist';
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
  return before && before.changed.length > 0 && isTooLarge(values, before.otherBytes) ? 'The values are too large' : undefined;
}

function newRow({ organizationId }: Scope, { input, values }: Row, content: Content): Product {
  const now = clock.now();
  const state = { enriched: false, archived: false, provenance: {}, createdAt: now, updatedAt: now };
  return { ...content, ...state, organizationId, attributes: values, userProvidedRawDataSources: sourcesOf(input) ?? [] };
}

interface Update {
  before: Stored;
  after: Content;
  row: Row;
}

async function writeUpdated(scope: Scope, updates: readonly Update[]): Promise<void> {
  if (updates.length === 0) return;
  await labelValues(
    scope,
    'edit',
    updates.flatMap(({ before }) => before.judged),
  );
  await writeContents(
    scope,
    updates.map(({ before, after: { id, ...fields }, row }) => ({
      ...{ id, fields, sources: sourcesOf(row.input), edited: before.changed, origins: {} },
      values: changedValues(row, before),
      isRenamedParent: before.isParent && before.name !== fields.name,
    })),
  );
}
