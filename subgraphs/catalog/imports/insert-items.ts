import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { v7 as uuid } from 'uuid';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { truncate } from '../../../schema/text.ts';
import { identityOf } from '../extraction/read-products.ts';
import { type ImportCandidate, type ImportData, type ImportDetails, type ImportRow, noDetails } from './data.ts';
import type { ImportItem } from './entity.ts';
import type { PageReading } from './file-rows.ts';
import type { FoundProduct } from './table-rows.ts';

type StoredItem = Pick<
  ImportItem,
  'id' | 'parentItemId' | 'type' | 'status' | 'matchKey' | 'name' | 'sku' | 'data' | 'details' | 'childCount' | 'position'
>;

interface NewNote {
  kind: EnumValue<'ImportNoteKind'>;
  row: ImportRow;
  position: number;
  itemId: string | null;
  message: string;
}

/** Positions of the products and rows of one page. */
const PAGE = 1_000;

const folded = (text: string) => text.trim().toLowerCase();
const key = (kind: string, text: string) => `${kind} ${folded(text)}`;

/**
 * Adds the products of a page to the items of the job, with a note about each row that became no item. A product that the job has already
 * is merged: the earlier row counts, the later one fills in what it lacks. If the rows contradict each other, the item gets a question.
 */
export async function insertItems(scope: Scope, jobId: string, ordinal: number, reading: PageReading): Promise<void> {
  // Before the items, as all other changes of items do. A page with the same products waits here, so that neither waits for the other.
  await query(scope.em, sql`select id from catalog.jobs where id = ${jobId} for no key update`);
  const first = ordinal * PAGE;
  const items = new Items(await readItems(scope, jobId, keysAndNames(reading.products)), first);
  for (const product of reading.products) items.add(product);
  const skipped = reading.skipped.map(({ place, row, reason }): NewNote => {
    return { kind: 'skipped', row, position: first + place, itemId: null, message: reason };
  });
  await writeItems(scope, jobId, items);
  await writeNotes(scope, jobId, [...items.notes, ...skipped]);
  await query(
    scope.em,
    sql`update catalog.jobs set total_extracted = coalesce(total_extracted, 0) + ${items.added}::int,
               rows_read = coalesce(rows_read, 0) + ${reading.rowCount}::int where id = ${jobId}`,
  );
}

/** The identities of all items that the products of a page may concern. */
function keysAndNames(products: readonly FoundProduct[]) {
  const keys = products.flatMap((product) => {
    const { sku, family } = product;
    const own = sku ? [key('sku', sku), key('family', sku)] : [nameKey(product)];
    const parents = family
      ? [family.sku, family.name].flatMap((text) => (text ? [key('family', text), key('sku', text)] : []))
      : [];
    return [...own, ...parents, key('family', product.name)];
  });
  const names = products.flatMap(({ family }) => (family && !family.sku ? folded(family.name) : []));
  return { keys: [...new Set(keys)], names: [...new Set(names)] };
}

const readItems = ({ em }: Scope, jobId: string, { keys, names }: { keys: string[]; names: string[] }) =>
  query(
    em,
    sql<StoredItem>`select id, parent_item_id as "parentItemId", type, status, match_key as "matchKey", name, sku, data, details,
               child_count as "childCount", position::float8
          from catalog.import_items
         where job_id = ${jobId} and (match_key = any(${keys}::text[]) or (lower(name) = any(${names}::text[]) and type <> 'product'))
         order by position, id`,
  );

/** The items that a page concerns, and their changes. */
class Items {
  readonly changed = new Map<string, StoredItem>();
  readonly notes: NewNote[] = [];
  added = 0;
  readonly #byKey: Map<string, StoredItem>;

  constructor(
    stored: readonly StoredItem[],
    private readonly first: number,
  ) {
    this.#byKey = new Map(stored.map((item) => [item.matchKey, item]));
  }

  add(product: FoundProduct): void {
    const position = this.first + product.place;
    const family = product.family && this.family(product, product.family, position);
    const candidate = candidateOf(product, position);
    if (!family && this.describeFamily(candidate, position)) return;
    const matchKey = product.sku ? key('sku', product.sku) : nameKey(product);
    const known = this.#byKey.get(matchKey) ?? (product.sku ? this.#byKey.get(key('family', product.sku)) : undefined);
    if (known) {
      this.merge(known, candidate, position);
      return;
    }
    if (product.isParent) {
      this.create(
        { type: 'family', matchKey: key('family', product.sku ?? product.name), parentItemId: null, position },
        candidate,
      );
      return;
    }
    const type = family ? 'product' : 'standalone';
    this.create({ type, matchKey, parentItemId: family?.id ?? null, position }, candidate);
    if (!family) return;
    family.childCount += 1;
    this.changed.set(family.id, family);
  }

  /** The family of a variant: one that is known, a row that turns out to be the family, or a new one that no row states. */
  private family(variant: FoundProduct, { name, sku }: { name: string; sku: string | null }, position: number): StoredItem {
    const known = ['family', 'sku'].map((kind) => this.#byKey.get(key(kind, sku ?? name)));
    const found = [...known, sku ? undefined : this.parentNamed(name)].find(
      (item) => item && item.type !== 'product' && (item.type === 'family' || item.status !== 'completed'),
    );
    if (found) return this.turnIntoFamily(found);
    const { brand, category, manufacturer } = variant;
    const data: ImportData = { name, sku: sku ?? skuOf(name), brand, category, manufacturer, mpn: null, variantOptions: {} };
    const candidate = { ...noDetails(), data, row: null };
    return this.create({ type: 'family', matchKey: key('family', sku ?? name), parentItemId: null, position }, candidate);
  }

  private parentNamed(name: string): StoredItem | undefined {
    const isNamed = (item: StoredItem) => item.type !== 'product' && folded(item.name) === folded(name);
    const named = this.#byKey.values().filter(isNamed).toArray();
    return named.length === 1 ? named[0] : undefined;
  }

  /** A page that ends after the row of a family lists it as a product, because its variants are on the next page. */
  private turnIntoFamily(item: StoredItem): StoredItem {
    if (item.type === 'family') return item;
    this.#byKey.delete(item.matchKey);
    item.type = 'family';
    item.matchKey = key('family', item.sku || item.name);
    item.sku ||= skuOf(item.name);
    item.data = { ...item.data, sku: item.sku, variantOptions: {} };
    return this.change(item);
  }

  /** The own row of a family, which may be on another page, describes it better than its variants do. */
  private describeFamily(candidate: Candidate, position: number): boolean {
    const { sku, name } = candidate.data;
    const family = (sku && this.#byKey.get(key('family', sku))) || this.#byKey.get(key('family', name));
    if (family?.type !== 'family' || family.status === 'completed') return false;
    // Two rows of one family are duplicates. A product may share its name with the family of another SKU.
    if (family.details.rows.length > 0) {
      if (!sku || folded(family.sku) !== folded(sku)) return false;
      this.merge(family, candidate, position);
      return true;
    }
    this.#byKey.delete(family.matchKey);
    Object.assign(family, { name, sku: sku || family.sku, position: Math.min(position, family.position) });
    if (sku) family.matchKey = key('family', sku);
    family.data = { ...candidate.data, sku: family.sku, variantOptions: {} };
    family.details = detailsOf(candidate);
    this.change(family);
    return true;
  }

  private create(item: Pick<StoredItem, 'type' | 'matchKey' | 'parentItemId' | 'position'>, candidate: Candidate): StoredItem {
    const { data } = candidate;
    this.added += 1;
    const details = detailsOf(candidate);
    return this.change({ ...item, id: uuid(), status: 'pending', name: data.name, sku: data.sku, data, details, childCount: 0 });
  }

  private change(item: StoredItem): StoredItem {
    this.#byKey.set(item.matchKey, item);
    this.changed.set(item.id, item);
    return item;
  }

  /** Merges a row into the item of an earlier row. Pages are not read in order, so the row may also be the earlier one. */
  private merge(item: StoredItem, candidate: Candidate, position: number): void {
    const { row } = candidate;
    // The product of an item that a person has imported stays as it is.
    if (item.status === 'completed') {
      this.note('merged', row, position, item.id, 'The product was imported before this row was read.');
      return;
    }
    const isEarlier = position < item.position;
    const own = candidateOfItem(item);
    const [base, other] = isEarlier ? [candidate, own] : [own, candidate];
    const differences = differencesOf(base, other);
    const merged = complete(base, other);
    const data = { ...merged.data, sku: item.sku || merged.data.sku };
    const noted = isEarlier ? item.details.rows[0] : row;
    const at = isEarlier ? item.position : position;
    const others = [...item.details.others, ...(differences.length > 0 && other.row ? [other as ImportCandidate] : [])];
    const rows = [...item.details.rows, ...(row ? [row] : [])].sort(byPosition).slice(0, MAX_ROWS);
    others.sort((a, b) => byPosition(a.row, b.row));
    const details = withDuplicates(
      { rows, ...pick(merged), others: others.slice(0, MAX_OTHERS) },
      { ...merged, data, row: base.row },
    );
    Object.assign(item, { position: Math.min(position, item.position), name: data.name, sku: data.sku, data, details });
    this.change(item);
    const isSame = differences.length === 0;
    const difference = `The row differs from row ${base.row?.row ?? '?'} in: ${differences.join(', ')}.`;
    this.note(
      isSame ? 'merged' : 'duplicate',
      noted ?? null,
      at,
      item.id,
      isSame ? 'The row states the same product.' : difference,
    );
  }

  private note(kind: NewNote['kind'], row: ImportRow | null, position: number, itemId: string, message: string): void {
    if (row) this.notes.push({ kind, row, position, itemId, message: truncate(message, 2_000) });
  }
}

const byPosition = (a: ImportRow, b: ImportRow) => (a.position ?? 0) - (b.position ?? 0);

/** Rows and alternatives that an item keeps. The notes name all rows. */
const [MAX_ROWS, MAX_OTHERS] = [100, 10];

type Candidate = Omit<ImportCandidate, 'row'> & { row: ImportRow | null };

const pick = ({ values, source, questions, empty }: Pick<Candidate, 'values' | 'source' | 'questions' | 'empty'>) => ({
  ...{ values, source, questions, empty },
});

function candidateOf({ details, place: _, family: __, isParent: ___, sku, ...data }: FoundProduct, position: number): Candidate {
  const [row] = details.rows;
  return { data: { ...data, sku: sku ?? '' }, row: row ? { ...row, position } : null, ...pick(details) };
}

const candidateOfItem = ({ data, details }: StoredItem): Candidate => ({
  ...{ data, row: details.rows[0] ?? null, values: details.values, source: details.source, empty: details.empty },
  questions: details.questions.filter(({ kind }) => kind !== 'duplicate'),
});

const detailsOf = (candidate: Candidate): ImportDetails => ({
  ...noDetails(),
  ...{ rows: candidate.row ? [candidate.row] : [], ...pick(candidate) },
});

const FIELDS = ['name', 'brand', 'category', 'manufacturer', 'mpn', 'uom', 'externalId'] as const;

/** The fields and columns in which two rows contradict each other. */
function differencesOf(base: Candidate, other: Candidate): string[] {
  const fields = FIELDS.filter((field) => base.data[field] && other.data[field] && base.data[field] !== other.data[field]);
  const known = new Map(base.values.map((value) => [value.slug, value]));
  const values = other.values.filter(({ slug, value }) => known.has(slug) && !isDeepStrictEqual(known.get(slug)!.value, value));
  const cells = new Map(base.source.map(({ column, cell }) => [column, cell]));
  const sources = other.source.filter(({ column, cell }) => cells.has(column) && cells.get(column) !== cell);
  return [...fields, ...values.map(({ column }) => column), ...sources.map(({ column }) => column)];
}

/** The first row with what only the second one states. */
function complete(base: Candidate, other: Candidate): Candidate {
  const fields = FIELDS.flatMap((field) => (!base.data[field] && other.data[field] ? [[field, other.data[field]]] : []));
  const slugs = new Set(base.values.map(({ slug }) => slug));
  const columns = new Set(base.source.map(({ column }) => column));
  const further = other.values
    .filter(({ slug }) => !slugs.has(slug))
    .map((value) => ({ ...value, from: value.from ?? other.row ?? undefined }));
  const values = [...base.values, ...further];
  const isOpen = ({ slug }: { slug: string | null }) => !values.some((value) => value.slug === slug);
  const keys = new Set(base.questions.map((question) => question.key));
  const empty = {
    fields: base.empty.fields.filter((field) => !fields.some(([filled]) => filled === field)),
    slugs: base.empty.slugs.filter((slug) => !values.some((value) => value.slug === slug)),
  };
  return {
    ...{ row: base.row, empty, data: { ...base.data, ...Object.fromEntries(fields) } },
    values,
    source: [...base.source, ...other.source.filter(({ column }) => !columns.has(column))],
    questions: [...base.questions, ...other.questions.filter((question) => !keys.has(question.key))].filter(isOpen),
  };
}

/** Asks which row counts, once for all rows that differ. `first` is the row that counts until somebody answers. */
export function withDuplicates(details: ImportDetails, first: Candidate | null): ImportDetails {
  const questions = details.questions.filter(({ kind }) => kind !== 'duplicate');
  if (details.others.length === 0 || !first?.row) return { ...details, questions };
  const rows = [first.row, ...details.others.map(({ row }) => row)].map(({ row }) => row);
  const columns = new Set(details.others.flatMap((other) => differencesOf(first, other)));
  const statements = [first, ...details.others].map((each) => statementOf(each, columns));
  const text = `The rows ${rows.join(', ')} state the same product and differ.`;
  const about = { key: 'duplicate', kind: 'duplicate', slug: null, column: '', cell: '' } as const;
  return { ...details, questions: [...questions, { ...about, text, readings: rows, statements }] };
}

/** The content of a row in some of its fields and columns, as a text. */
function statementOf({ data, values, source }: Candidate, columns: ReadonlySet<string>): string {
  const fields = FIELDS.map((field) => ({ column: field, cell: data[field] ?? '' }));
  const said = [...fields, ...values, ...source].filter(({ column, cell }) => columns.has(column) && cell);
  return truncate(said.map(({ column, cell }) => `${column}: ${cell}`).join(', '), 500);
}

/** The identity of a product without a SKU, ignoring case. Hashed, because an index entry has a maximum size. */
const nameKey = (product: FoundProduct): string =>
  `${key('name', product.name)} ${createHash('sha256').update(identityOf(product).toLowerCase()).digest('hex')}`;

/** The SKU of a family for which the page states none. */
const skuOf = (name: string) =>
  truncate(
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .normalize()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .toUpperCase(),
    64,
  );

async function writeItems({ em, organizationId }: Scope, jobId: string, { changed }: Items): Promise<void> {
  if (changed.size === 0) return;
  const given = [...changed.values()].map((item) => ({ ...item, questions: item.details.questions.length }));
  await query(
    em,
    sql`insert into catalog.import_items (id, organization_id, job_id, parent_item_id, type, match_key, name, sku, data, details, position,
                                            question_count, child_count)
        select id, ${organizationId}, ${jobId}, "parentItemId", type, "matchKey", name, sku, data, details, position, questions, "childCount"
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
               as g (id uuid, "parentItemId" uuid, type text, "matchKey" text, name text, sku text, data jsonb, details jsonb,
                     position bigint, questions int, "childCount" int)
        on conflict (id) do update set type = excluded.type, match_key = excluded.match_key, name = excluded.name, sku = excluded.sku,
               data = excluded.data, details = excluded.details, position = excluded.position,
               question_count = excluded.question_count, child_count = excluded.child_count`,
  );
}

async function writeNotes({ em, organizationId }: Scope, jobId: string, notes: readonly NewNote[]): Promise<void> {
  if (notes.length === 0) return;
  const given = notes.map(({ row: { file, sheet, row }, ...note }) => ({ ...note, file, sheet, row }));
  await query(
    em,
    sql`insert into catalog.import_notes (organization_id, job_id, kind, file, sheet, row, position, item_id, message)
        select ${organizationId}, ${jobId}, kind, file, sheet, row, position, "itemId", message
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
               as g (kind text, file text, sheet text, row int, position bigint, "itemId" uuid, message text)`,
  );
}
