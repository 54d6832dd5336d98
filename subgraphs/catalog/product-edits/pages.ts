import { clock, query, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import type { AttributeValues, Provenance, Provenances } from '../attributes/attribute-content.ts';
import type { Job, JobItem } from '../jobs/entity.ts';
import {
  partsOf,
  pickedBytes,
  pickedValues,
  type WrittenContent,
  type WrittenFields,
  writeContents,
} from '../products/write-contents.ts';
import { applyEdits, type Definitions, type EditedProduct, EditRefusal, isUnchanged, undoChanges } from './apply-edits.ts';
import type { EditChanges, ProductEdit } from './entity.ts';

/** Products of one item of a job, which one transaction edits. */
export const PAGE = 500;
/** Bytes of values that are read or written at a time. Those of one product can be more. */
const PART = 4_000_000;

interface Sized {
  id: string;
  bytes: number;
}

type Products = ReturnType<typeof sql>;

/**
 * The first products with the bytes of their values of these attributes. `condition` is on products as `r`. Without a lock, they are the newest,
 * because an index has this order.
 */
const readSizes = ({ em }: Scope, condition: Products, slugs: readonly string[], { limit = PAGE, isLocked = false } = {}) => {
  const order = sql.raw(isLocked ? 'r.id' : 'r.created_at desc, r.id desc');
  return query(
    em,
    sql<Sized>`select r.id, ${pickedBytes('r', sql`${slugs}::text[]`)} as bytes
          from catalog.products r where ${condition} order by ${order} limit ${limit} ${sql.raw(isLocked ? 'for update of r' : '')}`,
  );
};

/** The ids of products in parts of at most `PART` bytes. */
const parted = (products: readonly Sized[]): string[][] =>
  partsOf(products, ({ bytes }) => bytes, PART).map((part) => part.map(({ id }) => id));

type Row = Omit<EditedProduct, 'fields'> & EditedProduct['fields'];

/** Products with the values of these attributes. */
async function readProducts(
  { em, organizationId }: Scope,
  ids: readonly string[],
  slugs: readonly string[],
): Promise<EditedProduct[]> {
  const picked = (column: 'attributes' | 'provenance') => pickedValues('r', column, sql`${slugs}::text[]`);
  const rows = await query(
    em,
    sql<Row>`select r.id, r.sku, r.external_id as "externalId", r.name, r.manufacturer, r.mpn, r.uom, r.brand, r.category, r.parent_id as "parentId", r.is_parent as "isParent",
               r.archived, ${picked('attributes')} as attributes, ${picked('provenance')} as provenance,
               catalog.values_size(r.attributes - ${slugs}::text[])::float8 as "otherBytes"
          from catalog.products r where r.organization_id = ${organizationId} and r.id = any(${ids}::uuid[]) order by r.id`,
  );
  return rows.map(({ id, sku, externalId, isParent, attributes, provenance, otherBytes, ...fields }) => ({
    ...{ id, sku, externalId, isParent, attributes, provenance, otherBytes },
    fields,
  }));
}

/** The first products of a selection with the values of these attributes: at most a page, and at most `PART` bytes. */
export async function readFirst(scope: RequestScope, condition: Products, slugs: readonly string[]): Promise<EditedProduct[]> {
  const sizes = await readSizes(scope, condition, slugs);
  const ids = parted(sizes)[0] ?? [];
  scope.budget?.read(sizes.slice(0, ids.length).reduce((sum, { bytes }) => sum + bytes, 0));
  return readProducts(scope, ids, slugs);
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
  const parentIds = edits.flatMap(({ field, value }) => (field === 'parentId' && value ? [String(value)] : []));
  const parents = await lockParents(scope, parentIds);
  const slugs = edits.flatMap(({ attribute }) => attribute ?? []);
  const at = clock.now().toISOString();
  const edit = (product: EditedProduct): Outcome => {
    try {
      if (parentIds.some((id) => !parents.has(id))) throw new EditRefusal('The parent was deleted, or is none any more');
      const changes = applyEdits(product, edits, definitions);
      const written = Object.entries(changes.values).filter(([, { after }]) => after !== null);
      const origins = Object.fromEntries(written.map(([slug]) => [slug, originOf(job, item, at)]));
      for (const [slug, change] of written) change.afterOrigin = origins[slug]!;
      return { product, changes, origins, message: null };
    } catch (error) {
      if (!(error instanceof EditRefusal)) throw error;
      return { product, changes: NOTHING, origins: {}, message: error.message };
    }
  };
  const page = new PageResults(scope, item);
  for (const part of parted(await lockProducts(scope, ids, slugs))) await page.write(await readProducts(scope, part, slugs), edit);
  await page.finish(ids.length);
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
  const isDone = (of: readonly string[]) =>
    sql`job_id = ${job.undoOfId} and organization_id = ${organizationId} and product_id = any(${of}::uuid[])`;
  const done = await query(
    em,
    sql<Sized & { parentId: string | null; slugs: string[] }>`
        select product_id as id, octet_length(changes::text)::float8 as bytes, changes #>> '{fields,parentId,before}' as "parentId",
               array(select jsonb_object_keys(changes -> 'values')) as slugs from catalog.product_edits where ${isDone(ids)}`,
  );
  const parents = await lockParents(
    scope,
    done.flatMap(({ parentId }) => parentId ?? []),
  );
  const slugs = [...new Set(done.flatMap((each) => each.slugs))];
  const bytesOf = new Map(done.map(({ id, bytes }) => [id, bytes]));
  const locked = await lockProducts(scope, ids, slugs);
  const page = new PageResults(scope, item);
  for (const part of parted(locked.map(({ id, bytes }) => ({ id, bytes: bytes + (bytesOf.get(id) ?? 0) })))) {
    const changed = await query(
      em,
      sql<{ id: string; changes: EditChanges }>`select product_id as id, changes from catalog.product_edits where ${isDone(part)}`,
    );
    const changesOf = new Map(changed.map(({ id, changes }) => [id, changes]));
    await page.write(await readProducts(scope, part, slugs), (product) => {
      const { changes, origins, left } = undoChanges(product, changesOf.get(product.id) ?? NOTHING, parents);
      const message = left.length > 0 ? `Changed since, and left as it is: ${left.join(', ')}` : null;
      return { product, changes, origins, message };
    });
  }
  await page.finish(ids.length);
}

async function idsOf({ em }: Scope, { id }: JobItem): Promise<string[]> {
  const [page] = await query(
    em,
    sql<{ ids: string[] }>`select product_ids as ids from catalog.product_edit_pages where item_id = ${id}`,
  );
  return page!.ids;
}

const lockProducts = (scope: Scope, ids: readonly string[], slugs: readonly string[]) =>
  readSizes(scope, sql`r.organization_id = ${scope.organizationId} and r.id = any(${ids}::uuid[])`, slugs, { isLocked: true });

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

/** The results of an item, written in parts. */
class PageResults {
  #read = 0;
  #changed = 0;
  #refused = 0;

  constructor(
    private readonly scope: Scope,
    private readonly item: JobItem,
  ) {}

  /** Writes the outcomes of a part. A short value can become a long one, so these are written in parts too. */
  async write(products: readonly EditedProduct[], outcomeFor: (product: EditedProduct) => Outcome): Promise<void> {
    this.#read += products.length;
    let outcomes: Outcome[] = [];
    let bytes = 0;
    for (const product of products) {
      const outcome = outcomeFor(product);
      outcomes.push(outcome);
      bytes += JSON.stringify(outcome.changes).length;
      if (bytes < PART) continue;
      await this.#store(outcomes);
      [outcomes, bytes] = [[], 0];
    }
    await this.#store(outcomes);
  }

  async #store(outcomes: readonly Outcome[]): Promise<void> {
    const { em, organizationId } = this.scope;
    const ended = outcomes.flatMap((each) => {
      const outcome = outcomeOf(each);
      return outcome ? [{ outcome, ...each }] : [];
    });
    const changed = ended.filter(({ outcome }) => outcome === 'changed');
    this.#changed += changed.length;
    this.#refused += ended.length - changed.length;
    await writeContents(this.scope, changed.map(contentOf));
    const results = ended.map(({ product: { id, sku }, outcome, changes, message }) => ({ id, sku, outcome, changes, message }));
    await query(
      em,
      sql`insert into catalog.product_edits (job_id, product_id, organization_id, sku, outcome, message, changes)
        select ${this.item.jobId}, id, ${organizationId}, sku, outcome, message, changes
          from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as g (id uuid, sku text, outcome text, message text, changes jsonb)`,
    );
  }

  /** @param selected number of products of the item, of which some may have been deleted */
  async finish(selected: number): Promise<void> {
    await query(
      this.scope.em,
      sql`update catalog.product_edit_pages set changed = ${this.#changed}, refused = ${this.#refused},
               unchanged = ${this.#read - this.#changed - this.#refused}, deleted = ${selected - this.#read} where item_id = ${this.item.id}`,
    );
  }
}

/** The new content of a product after its changes. */
function contentOf({ product, changes, origins }: Outcome): WrittenContent {
  const { id, sku, externalId, isParent } = product;
  const fields = { ...product.fields };
  for (const [field, { after }] of Object.entries(changes.fields)) fields[field as keyof typeof fields] = after;
  const values: AttributeValues = {};
  for (const [slug, { after }] of Object.entries(changes.values)) if (after) values[slug] = after;
  return {
    ...{ id, edited: Object.keys(changes.values), values, origins },
    fields: { sku, externalId, isParent, ...fields } as WrittenFields,
    isRenamedParent: isParent && changes.fields.name !== undefined,
  };
}
