import { isDeepStrictEqual } from 'node:util';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { AttributeContent, AttributeValues, Provenance, Provenances } from '../attributes/attribute-content.ts';
import { isTooLarge } from '../attributes/service.ts';
import { postTouches, TEXTS, type TextField } from '../products/write-contents.ts';
import { sourceText, valuesOf } from './data.ts';
import type { Item, KnownProduct, UpdateOptions } from './known-products.ts';

/** A field or value of a product that an item changes. */
export interface Difference {
  field: string;
  label: string;
  before: AttributeContent;
  after: AttributeContent;
  isProtected: boolean;
}

/** The new state of a product, with the values to write and to remove. */
export interface ProductUpdate {
  id: string;
  texts: Record<TextField, string | null>;
  isParent: boolean;
  parentId: string | null;
  sources: string[];
  values: AttributeValues;
  provenance: Provenances;
  removed: string[];
}

/** The differences between an item and its product, and the update that they make; undefined if they make none. */
export function compare(
  product: KnownProduct,
  item: Item,
  jobId: string,
  options: UpdateOptions,
): { differences: Difference[]; update?: ProductUpdate; refusal?: string } {
  const { data, details, type } = item;
  const differences: Difference[] = [];
  const { texts } = unchangedUpdate(product);
  // The fields of a family that no row states come from its variants.
  const isStated = type !== 'family' || details.rows.length > 0;
  const cleared = new Set<string>(options.emptyCells === 'clear' ? [...details.empty.fields, ...details.empty.slugs] : []);
  for (const field of isStated ? TEXTS : []) {
    const isOpen = field === 'name' && details.questions.some(({ kind }) => kind === 'name');
    const stated = isOpen || (field === 'sku' && options.matchBy === 'sku') ? null : data[field] || null;
    const after = stated ?? (cleared.has(field) && !REQUIRED.has(field) && field !== options.matchBy ? null : product[field]);
    if (after === product[field]) continue;
    texts[field] = after;
    differences.push({ field, label: field, before: product[field], after, isProtected: false });
  }
  const { attributes, provenance } = valuesOf(details, jobId);
  const changed = changedValues(product, attributes, cleared, options.overwrite);
  differences.push(...changed);
  const written = changed.filter(({ isProtected }) => !isProtected);
  const isWritten = (slug: string) => written.some(({ field, after }) => field === slug && after !== null);
  const isParent = product.isParent || type === 'family';
  const sources = isStated ? mergedSources(product.sources, sourceText(details)) : product.sources;
  const update: ProductUpdate = {
    ...{ id: product.id, texts, isParent, parentId: product.parentId, sources },
    values: Object.fromEntries(Object.entries(attributes).filter(([slug]) => isWritten(slug))),
    provenance: Object.fromEntries(Object.entries(provenance).filter(([slug]) => isWritten(slug))),
    removed: written.filter(({ after }) => after === null).map(({ field }) => field),
  };
  if (isParent && product.parentId)
    return { differences, refusal: `The product ${product.sku} is a variant and cannot become a parent` };
  const removed = new Set(update.removed);
  const unremoved = Object.fromEntries(Object.entries(product.attributes).filter(([slug]) => !removed.has(slug)));
  if (isTooLarge({ ...unremoved, ...update.values }, product.otherBytes))
    return { differences, refusal: 'The values are too large' };
  const isSame =
    differences.every((each) => each.isProtected) && isParent === product.isParent && isDeepStrictEqual(sources, product.sources);
  return { differences, update: isSame ? undefined : update };
}

/** An update that leaves the product as it is. */
const unchangedUpdate = (product: KnownProduct): ProductUpdate => ({
  ...{ id: product.id, isParent: product.isParent, parentId: product.parentId, sources: product.sources },
  texts: Object.fromEntries(TEXTS.map((field) => [field, product[field]])) as ProductUpdate['texts'],
  ...{ values: {}, provenance: {}, removed: [] },
});

const REQUIRED = new Set<string>(['sku', 'name']);

/** The values of the catalog that differ from those of the file. */
function changedValues(
  product: KnownProduct,
  values: AttributeValues,
  cleared: ReadonlySet<string>,
  overwrite: UpdateOptions['overwrite'],
): Difference[] {
  const stated = Object.entries(values).map(([slug, { value, attributeName }]) => ({ slug, after: value, label: attributeName }));
  const removed = Object.entries(product.attributes).flatMap(([slug, { attributeName }]) =>
    cleared.has(slug) && !Object.hasOwn(values, slug) ? [{ slug, after: null, label: attributeName }] : [],
  );
  return [...stated, ...removed].flatMap(({ slug, after, label }) => {
    const before = product.attributes[slug]?.value ?? null;
    if (isDeepStrictEqual(before, after)) return [];
    const mayReplace = overwrite === 'all' || (overwrite === 'unreviewed' && !isByPerson(product.provenance[slug]));
    return [{ field: slug, label, before, after, isProtected: before !== null && !mayReplace }];
  });
}

/** Whether a person wrote or accepted a value. Values written by callers have no provenance. */
const isByPerson = (origin: Provenance | undefined) => !origin || origin.reviewedAt !== undefined || origin.sourceKind === 'review';

/** Whether an empty cell takes the parent from a variant. */
const isDetached = ({ type, details }: Item, { emptyCells }: UpdateOptions) =>
  emptyCells === 'clear' && type === 'standalone' && details.empty.fields.includes('parent');

/** The change of the parent that an item makes; undefined for none. `family` is the item of the parent. */
export function parentDifference(
  { parent, isParent }: KnownProduct,
  item: Item,
  family: Item | null,
  options: UpdateOptions,
): Difference | undefined {
  const before = parent?.sku ?? null;
  const about = { field: 'parent', label: 'parent', before, isProtected: false };
  if (!family) return parent && isDetached(item, options) ? { ...about, after: null } : undefined;
  const { sku, name, externalId } = family.data;
  const key = options.matchBy === 'sku' ? parent?.sku === sku : parent?.externalId === externalId;
  // Finalizing finds a parent that no row states by its name as well.
  const isSame = parent && (key || (family.details.rows.length === 0 && parent.name === name));
  return isSame || isParent ? undefined : { ...about, after: sku || name };
}

/** The change of a product, with its parent. */
export function changeOf(row: Item, product: KnownProduct, parentId: string | undefined, jobId: string, options: UpdateOptions) {
  const change = compare(product, row, jobId, options);
  const wanted = parentId ?? (isDetached(row, options) ? null : product.parentId);
  if (wanted === product.parentId || change.refusal) return change;
  if (product.isParent) return { refusal: `The product ${product.sku} is a parent and cannot become a variant` };
  return { update: { ...(change.update ?? unchangedUpdate(product)), parentId: wanted } };
}

const MAX_SOURCES = 100;

/** Replaces the source that an earlier import of the same columns has written. */
function mergedSources(sources: string[], text: string): string[] {
  if (text === '' || sources.includes(text)) return sources;
  const columnsOf = (each: string) =>
    each
      .split('\n')
      .map((line) => line.split(': ', 1)[0])
      .join('\n');
  const at = sources.findIndex((each) => columnsOf(each) === columnsOf(text));
  if (at >= 0) return sources.with(at, text);
  return sources.length < MAX_SOURCES ? [...sources, text] : sources;
}

/** Writes the updates of products that the caller has locked. Variants of a parent that gets another name follow in the background. */
export async function writeUpdates(scope: Scope, updates: readonly ProductUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  const { em, organizationId } = scope;
  const given = updates.map(({ texts, ...update }) => ({ ...update, ...texts }));
  const written = await query(
    em,
    sql<{ id: string; isRenamed: boolean }>`
        update catalog.products p set sku = g.sku, name = g.name, brand = g.brand, category = g.category, manufacturer = g.manufacturer,
               mpn = g.mpn, uom = g.uom, external_id = g."externalId", is_parent = g."isParent", parent_id = g."parentId",
               user_provided_raw_data_sources = g.sources, attributes = (p.attributes - g.removed) || g."values",
               provenance = (p.provenance - g.removed) || g.provenance, updated_at = now()
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
               as g (id uuid, sku text, name text, brand text, category text, manufacturer text, mpn text, uom text, "externalId" text,
                     "isParent" boolean, "parentId" uuid, sources text[], "values" jsonb, provenance jsonb, removed text[])
          join catalog.products before on before.id = g.id
         where p.id = g.id and p.organization_id = ${organizationId}
        returning p.id, p.is_parent and p.name <> before.name as "isRenamed"`,
  );
  const renamed = written.filter(({ isRenamed }) => isRenamed).map(({ id }) => id);
  if (renamed.length > 0) await postTouches(scope, renamed);
}
