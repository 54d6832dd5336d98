import { clock, query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import type { AttributeValues, Provenance, Provenances } from '../attributes/attribute-content.ts';
import type { Job, JobItem } from '../jobs/entity.ts';
import { postTouches } from '../products/variants.ts';
import { applyEdits, type Definitions, type EditedProduct, isUnchanged, Refusal } from './apply-edits.ts';
import type { EditChanges } from './entity.ts';
import type { ProductEdit } from './types.ts';
import { undoChanges } from './undo-edits.ts';

type Row = Omit<EditedProduct, 'fields'> & EditedProduct['fields'];

/** Products with the values of these attributes. `condition` is on products as `r`. */
export async function readEdited(
  { em }: Scope,
  condition: ReturnType<typeof sql>,
  slugs: readonly string[],
  { limit = 1_000, isLocked = false } = {},
): Promise<EditedProduct[]> {
  const picked = (name: 'attributes' | 'provenance') =>
    sql`coalesce((select jsonb_object_agg(s, r.${sql.raw(name)} -> s) from unnest(${slugs}::text[]) s where r.${sql.raw(name)} ? s), '{}')`;
  const rows = await query(
    em,
    sql<Row>`select r.id, r.sku, r.name, r.manufacturer, r.mpn, r.uom, r.brand, r.category, r.parent_id as "parentId", r.is_parent as "isParent",
               r.archived, ${picked('attributes')} as attributes, ${picked('provenance')} as provenance, octet_length(r.attributes::text) as bytes
          from catalog.products r where ${condition} order by r.id limit ${limit} ${sql.raw(isLocked ? 'for update of r' : '')}`,
  );
  return rows.map(({ id, sku, isParent, attributes, provenance, bytes, ...fields }) => ({
    ...{ id, sku, isParent, attributes, provenance, bytes },
    fields,
  }));
}

/** The effect of an item on one product. */
interface Outcome {
  product: EditedProduct;
  changes: EditChanges;
  origins: Provenances;
  message: string | null;
}

const NOTHING: EditChanges = { fields: {}, values: {} };

/** Edits the products of an item. Runs in the transaction that completes the item, so that it counts once. */
export async function editPage(scope: Scope, job: Job, item: JobItem, definitions: Definitions): Promise<void> {
  const edits = job.edits as ProductEdit[];
  const ids = await idsOf(scope, item);
  const isParentEdited = edits.flatMap(({ field, value }) => (field === 'parentId' && value ? [String(value)] : []));
  const parents = await lockParents(scope, isParentEdited);
  const slugs = edits.flatMap(({ attribute }) => attribute ?? []);
  const products = await lockProducts(scope, ids, slugs);
  const at = clock.now().toISOString();
  const outcomes = products.map((product): Outcome => {
    try {
      if (isParentEdited.some((id) => !parents.has(id))) throw new Refusal('The parent was deleted, or is none any more');
      const changes = applyEdits(product, edits, definitions);
      const written = Object.entries(changes.values).filter(([, { after }]) => after !== null);
      const origins = Object.fromEntries(written.map(([slug]) => [slug, originOf(job, item, at)]));
      for (const [slug, change] of written) change.afterOrigin = origins[slug]!;
      return { product, changes, origins, message: null };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { product, changes: NOTHING, origins: {}, message: error.message };
    }
  });
  await writePage(scope, item, ids.length, outcomes);
}

/** The origin of a value that a person wrote by a bulk edit. */
const originOf = ({ id: jobId }: Job, { id: itemId }: JobItem, at: string): Provenance => ({
  ...{ jobId, itemId, model: 'edit', confidence: 100, sourceKind: 'edit', sourceUrl: null, snippet: null, contentHash: null },
  ...{ at, reviewedAt: at },
});

/** Undoes what another job changed of the products of an item. */
export async function undoPage(scope: Scope, job: Job, item: JobItem): Promise<void> {
  const { em, organizationId } = scope;
  const ids = await idsOf(scope, item);
  const done = await query(
    em,
    sql<{ productId: string; changes: EditChanges }>`select product_id as "productId", changes from catalog.product_edits
         where job_id = ${job.undoOfId} and organization_id = ${organizationId} and product_id = any(${ids}::uuid[])`,
  );
  const changesOf = new Map(done.map(({ productId, changes }) => [productId, changes]));
  const parentIds = done.flatMap(({ changes }) =>
    changes.fields.parentId?.before ? [String(changes.fields.parentId.before)] : [],
  );
  const parents = await lockParents(scope, parentIds);
  const slugs = [...new Set(done.flatMap(({ changes }) => Object.keys(changes.values)))];
  const products = await lockProducts(scope, ids, slugs);
  const outcomes = products.map((product): Outcome => {
    const { changes, origins, left } = undoChanges(product, changesOf.get(product.id) ?? NOTHING, parents);
    return { product, changes, origins, message: left.length > 0 ? `Changed since, and left as it is: ${left.join(', ')}` : null };
  });
  await writePage(scope, item, ids.length, outcomes);
}

async function idsOf({ em }: Scope, { id }: JobItem): Promise<string[]> {
  const [page] = await query(
    em,
    sql<{ ids: string[] }>`select product_ids as ids from catalog.product_edit_pages where item_id = ${id}`,
  );
  return page!.ids;
}

const lockProducts = (scope: Scope, ids: readonly string[], slugs: readonly string[]) =>
  readEdited(scope, sql`r.organization_id = ${scope.organizationId} and r.id = any(${ids}::uuid[])`, slugs, { isLocked: true });

/** The ids that are parents of the organization. They stay parents until the commit. */
async function lockParents({ em, organizationId }: Scope, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await query(
    em,
    sql<{ id: string }>`select id from catalog.products
         where organization_id = ${organizationId} and id = any(${ids}::uuid[]) and is_parent order by id for share`,
  );
  return new Set(found.map(({ id }) => id));
}

const outcomeOf = ({ changes, message }: Outcome): EnumValue<'ProductEditOutcome'> | undefined => {
  if (!isUnchanged(changes)) return 'changed';
  return message === null ? undefined : 'refused';
};

/** @param selected number of products of the item, of which some may have been deleted */
async function writePage(scope: Scope, item: JobItem, selected: number, outcomes: readonly Outcome[]): Promise<void> {
  const { em, organizationId } = scope;
  const told = outcomes.flatMap((each) => {
    const outcome = outcomeOf(each);
    return outcome ? [{ outcome, ...each }] : [];
  });
  const changed = told.filter(({ outcome }) => outcome === 'changed');
  await writeProducts(scope, changed);
  const results = told.map(({ product: { id, sku }, outcome, changes, message }) => ({ id, sku, outcome, changes, message }));
  await query(
    em,
    sql`insert into catalog.product_edits (job_id, product_id, organization_id, sku, outcome, message, changes)
        select ${item.jobId}, id, ${organizationId}, sku, outcome, message, changes
          from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as g (id uuid, sku text, outcome text, message text, changes jsonb)`,
  );
  await query(
    em,
    sql`update catalog.product_edit_pages set changed = ${changed.length}, refused = ${told.length - changed.length},
               unchanged = ${selected - told.length} where item_id = ${item.id}`,
  );
}

async function writeProducts(scope: Scope, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const { em, organizationId } = scope;
  const given = outcomes.map(({ product, changes, origins }) => {
    const fields = { ...product.fields };
    for (const [field, { after }] of Object.entries(changes.fields)) fields[field as keyof typeof fields] = after;
    const values: AttributeValues = {};
    for (const [slug, { after }] of Object.entries(changes.values)) if (after) values[slug] = after;
    return { id: product.id, ...fields, edited: Object.keys(changes.values), values, origins };
  });
  await query(
    em,
    sql`update catalog.products p set name = g.name, manufacturer = g.manufacturer, mpn = g.mpn, uom = g.uom, brand = g.brand,
               category = g.category, parent_id = g."parentId", archived = g.archived, attributes = (p.attributes - g.edited) || g."values",
               provenance = (p.provenance - g.edited) || g.origins, updated_at = clock_timestamp()
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
               as g (id uuid, name text, manufacturer text, mpn text, uom text, brand text, category text, "parentId" uuid, archived boolean,
                     edited text[], "values" jsonb, origins jsonb)
         where p.id = g.id and p.organization_id = ${organizationId}`,
  );
  const renamed = outcomes
    .filter(({ product, changes }) => product.isParent && changes.fields.name)
    .map(({ product }) => product.id);
  if (renamed.length > 0) await postTouches(scope, renamed);
}
