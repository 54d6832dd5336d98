import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { FileProduct } from '../extraction/read-products.ts';
import type { TablePage } from '../uploads/file-pages.ts';
import type { CellAttribute } from './cells.ts';
import { headersOf, matchColumns } from './columns.ts';
import { type ImportRow, noDetails } from './data.ts';
import { MAX_TABLES } from './mapping-types.ts';
import { type FoundProduct, folded, TableRows } from './table-rows.ts';

/** A row that became no product. */
export interface SkippedRow {
  place: number;
  row: ImportRow;
  reason: string;
}

export interface PageReading {
  products: FoundProduct[];
  skipped: SkippedRow[];
  /** Rows below the header that have content. */
  rowCount: number;
}

/** Products of a page that is no table. */
export const withoutRows = (products: readonly FileProduct[]): PageReading => ({
  products: products.map((product, place) => ({ ...product, uom: null, externalId: null, place, details: noDetails() })),
  skipped: [],
  rowCount: 0,
});

/**
 * Pairs the products that a model listed with the rows of their page, and reads the other columns of these rows: values of attributes,
 * questions, and the source. Each row that no product has is skipped with a reason, or is a question.
 */
export function readRows(
  listed: readonly FileProduct[],
  page: TablePage,
  attributes: readonly CellAttribute[],
  origin: Omit<ImportRow, 'row' | 'sheet'>,
): PageReading {
  const table = new TableRows(page, matchColumns(headersOfPage(page), page.marks, attributes), origin);
  table.learnColumns(listed);
  const products: FoundProduct[] = [];
  const paired = new Set<number>();
  for (const product of listed) {
    const rows = table.rowsOf(product).filter((at) => !paired.has(at));
    for (const at of rows) paired.add(at);
    if (rows.length === 0)
      products.push({ ...product, uom: null, externalId: null, place: page.rows.length, details: noDetails() });
    // A model lists a product once, and not always by its first row.
    for (const at of rows)
      products.push(table.found(at, rows.length > 1 ? table.restated(product, at) : table.copied(product, at)));
  }
  const families = new Set(products.flatMap(({ family }) => (family ? [folded(family.name), folded(family.sku ?? '')] : [])));
  const skipped: SkippedRow[] = [];
  for (const at of page.rows.keys()) {
    if (paired.has(at)) continue;
    const product = table.repeatsHeader(at) ? undefined : table.product(at);
    const isFamily = product && [product.sku ?? '', product.name].some((key) => key && families.has(folded(key)));
    // A model leaves out a row without a name, and the row of a family.
    if (product && (isFamily || table.lacksName(at))) products.push(table.found(at, product));
    else skipped.push({ place: at, row: table.row(at), reason: table.reasonFor(at) });
  }
  return { products: products.sort((a, b) => a.place - b.place), skipped, rowCount: page.rows.length };
}

/** The names of the columns that the rows of a page reach. */
export const headersOfPage = ({ columns, rows }: Pick<TablePage, 'columns' | 'rows'>): string[] =>
  headersOf(
    columns,
    rows.reduce((widest, { length }) => Math.max(widest, length), 0),
  );

/** Rows of a mapped table after which other work of the process gets a turn. */
const TURN = 20;

/** Reads the rows of a table whose columns a person has mapped. No model is needed: each row with a SKU or a name is a product. */
export async function readMappedRows(table: TableRows, rowCount: number): Promise<PageReading> {
  const reading: PageReading = { products: [], skipped: [], rowCount };
  for (let at = 0; at < rowCount; at += 1) {
    if (at % TURN === TURN - 1) await yieldToOthers();
    const product = table.mappedProduct(at);
    if (product) reading.products.push(table.found(at, product));
    else reading.skipped.push({ place: at, row: table.row(at), reason: table.reasonFor(at) });
  }
  return reading;
}

/** The start of a table in an uploaded file. */
export interface TableHead {
  fileId: string;
  file: string;
  sheet: string;
  /** Number of pages that a model would read. */
  pages: number;
  /** The names of all columns. */
  headers: string[];
  /** The first page, which was read when the file was uploaded. */
  page: TablePage;
}

/** The first tables of files, in the order of the files. Their number and the size of a page are limited. */
export async function tableHeads({ em, organizationId }: Scope, fileIds: readonly string[]): Promise<TableHead[]> {
  const found = await query(
    em,
    sql<Omit<TableHead, 'headers'>>`
      select p.file_id as "fileId", f.name as file, p.sheet, p.content as page,
             (select count(*)::int from catalog.file_pages o where o.file_id = p.file_id and o.sheet = p.sheet) as pages
        from catalog.file_pages p join catalog.files f on f.id = p.file_id
       where p.file_id = any(${fileIds}::uuid[]) and f.organization_id = ${organizationId} and p.first_row = 1
       order by array_position(${fileIds}::uuid[], p.file_id), p.place limit ${MAX_TABLES}`,
  );
  return found.map((head) => {
    const { header = head.page.columns, rows } = head.page;
    return { ...head, headers: headersOfPage({ columns: header, rows }) };
  });
}
