import { truncate } from '../../../schema/text.ts';
import { isPlaceholder } from '../extraction/constraints.ts';
import { type FileProduct, oneLine } from '../extraction/read-products.ts';
import type { TablePage } from '../uploads/file-pages.ts';
import { readCell } from './cells.ts';
import { type Column, type FieldName, formatOf } from './columns.ts';
import { type ImportDetails, type ImportQuestion, type ImportRow, noDetails } from './data.ts';

/** A product of a page with the row that states it. Several products of a page may have the same identity. */
export interface FoundProduct extends FileProduct {
  uom: string | null;
  externalId: string | null;
  /** Whether the row says that it is a parent. */
  isParent?: boolean;
  /** Position on the page. */
  place: number;
  details: ImportDetails;
}

const lengths: Record<FieldName, number> = {
  ...{
    sku: 64,
    name: 256,
    brand: 128,
    category: 1_024,
    manufacturer: 256,
    mpn: 128,
    uom: 128,
    externalId: 256,
    parent: 256,
    isParent: 8,
  },
};

/** The text of a field; null for an empty cell or a placeholder. */
const fieldText = (cell: string | undefined, field: FieldName): string | null =>
  cell === undefined || isPlaceholder(cell) ? null : truncate(oneLine(unquoted(cell)), lengths[field]).trim() || null;

/** Exports write an apostrophe before a text that a spreadsheet would run as a formula. */
const unquoted = (cell: string): string => (/^'[=+\-@＝＋－＠\t\r\n]/.test(cell) ? cell.slice(1) : cell);

export const folded = (text: string) => text.trim().toLowerCase();

const COPIED = ['name', 'brand', 'category', 'manufacturer', 'mpn'] as const;

/** The part of a table that is read at once. */
type RowsOfTable = Pick<TablePage, 'name' | 'rows' | 'numbers'>;

/** Rows of a table whose columns have a use. */
export class TableRows {
  readonly #columns: readonly Column[];
  readonly #fields = new Map<FieldName, number>();
  readonly #parents: number[] = [];
  #rowsByName?: ReadonlyMap<string, number>;

  constructor(
    private readonly page: RowsOfTable,
    columns: readonly Column[],
    private readonly origin: Omit<ImportRow, 'row' | 'sheet'>,
  ) {
    this.#columns = columns;
    for (const [at, { field }] of this.#columns.entries()) {
      if (field && !this.#fields.has(field)) this.#fields.set(field, at);
      if (field === 'parent') this.#parents.push(at);
    }
  }

  row(at: number): ImportRow {
    return { ...this.origin, sheet: this.page.name, row: this.page.numbers[at]! };
  }

  cell(at: number, field: FieldName): string | null {
    const column = this.#fields.get(field);
    return column === undefined ? null : fieldText(this.page.rows[at]![column], field);
  }

  /** A model understands headers that this service does not know. The column of its SKUs is the one that has most of them. */
  learnColumns(listed: readonly FileProduct[]): void {
    for (const field of ['sku', 'name'] as const) {
      if (this.#fields.has(field)) continue;
      const texts = new Set(listed.flatMap((product) => product[field] ?? []));
      const counts = this.#columns.map((column, at) =>
        column.field ? 0 : this.page.rows.filter((row) => texts.has(fieldText(row[at], field) ?? '')).length,
      );
      const most = Math.max(0, ...counts);
      if (most > 0) {
        const at = counts.indexOf(most);
        this.#fields.set(field, at);
        this.#columns[at]!.field = field;
      }
    }
  }

  /** The rows that state a product: by its SKU, or else by its name, part number and options. */
  rowsOf({ sku, name, mpn, variantOptions }: FileProduct): number[] {
    const rows = [...this.page.rows.keys()];
    if (sku) {
      const stated = rows.filter((at) => folded(this.cell(at, 'sku') ?? '') === folded(sku));
      return stated.length > 0 ? stated : rows.filter((at) => this.page.rows[at]!.some((cell) => fieldText(cell, 'sku') === sku));
    }
    const parts = [mpn, ...Object.values(variantOptions)].filter((part) => part !== null);
    return rows.filter((at) => {
      if (this.cell(at, 'sku') !== null || this.cell(at, 'name') !== name) return false;
      const cells = this.page.rows[at]!.map(oneLine);
      return parts.every((part) => cells.includes(part)) && (mpn !== null || this.cell(at, 'mpn') === null);
    });
  }

  /** A product by the cells of its row alone. */
  product(at: number): FileProduct | undefined {
    const [sku, name] = [this.cell(at, 'sku'), this.cell(at, 'name')];
    if (!sku && !name) return undefined;
    const [brand, category] = [this.cell(at, 'brand'), this.cell(at, 'category')];
    const [manufacturer, mpn] = [this.cell(at, 'manufacturer'), this.cell(at, 'mpn')];
    return { name: name ?? sku!, sku, brand, category, manufacturer, mpn, family: null, variantOptions: {} };
  }

  /** The product of a row that no model has read. */
  mappedProduct(at: number): FileProduct | undefined {
    return this.isRemark(at) || this.repeatsHeader(at) ? undefined : this.product(at);
  }

  /** The product with the texts of its row, which a model may not copy exactly. */
  copied(product: FileProduct, at: number): FileProduct {
    const texts = COPIED.flatMap((field) => {
      const text = this.cell(at, field);
      return text === null ? [] : [[field, text]];
    });
    return { ...product, ...Object.fromEntries(texts) };
  }

  /** The product with the fields of one of its rows. */
  restated(product: FileProduct, at: number): FileProduct {
    const own = this.product(at)!;
    const stated = Object.entries(own).filter(([field]) => this.#fields.has(field as FieldName));
    const options = Object.keys(product.variantOptions).map((option) => {
      const column = this.#columns.findIndex(({ header }) => header === option);
      return [option, column < 0 ? product.variantOptions[option]! : this.page.rows[at]![column]!.trim()];
    });
    return { ...product, ...Object.fromEntries(stated), name: own.name, variantOptions: Object.fromEntries(options) };
  }

  found(at: number, product: FileProduct): FoundProduct {
    const [uom, externalId] = [this.cell(at, 'uom'), this.cell(at, 'externalId')];
    const isParent = /^(?:true|yes|ja|wahr|1|x)$/i.test(this.cell(at, 'isParent') ?? '');
    const family = isParent ? null : this.familyOf(at, product);
    return { ...product, family, uom, externalId, isParent, place: at, details: this.details(at) };
  }

  lacksName(at: number): boolean {
    return this.#fields.has('name') && this.cell(at, 'name') === null;
  }

  /** Whether the row is a text below the table: several words in the column of the SKU, and nothing else. */
  private isRemark(at: number): boolean {
    const filled = this.page.rows[at]!.filter((cell) => oneLine(cell) !== '');
    return filled.length === 1 && this.lacksName(at) && (this.cell(at, 'sku')?.includes(' ') ?? false);
  }

  /** Whether each cell is the header of its column, as where a table goes on after a break. */
  repeatsHeader(at: number): boolean {
    const cells = this.page.rows[at]!.map((cell) => folded(oneLine(cell)));
    return (
      cells.some(Boolean) && cells.every((cell, column) => cell === '' || cell === folded(this.#columns[column]?.header ?? ''))
    );
  }

  reasonFor(at: number): string {
    if (this.repeatsHeader(at)) return 'The row repeats the header.';
    if (this.isRemark(at)) return 'The row has only one text, and no name.';
    if (this.lacksName(at)) return 'The row has no name and no SKU.';
    return 'The model found no product in the row.';
  }

  /** The parent that the row names by SKU or by name. A row that names itself has none. */
  private familyOf(at: number, { name, sku, family }: FileProduct): FileProduct['family'] {
    const cells = this.#parents.flatMap((column) => fieldText(this.page.rows[at]![column], 'parent') ?? []);
    const [parent, parentName = parent] = cells;
    if (!parent) return family;
    const isParent = (text: string | null) => text !== null && folded(text) === folded(parent);
    if (isParent(sku) || isParent(name)) return null;
    const row = this.rowNamed(folded(parent));
    if (row !== undefined) return { name: this.cell(row, 'name') ?? parent, sku: this.cell(row, 'sku') };
    // A model that sees only the SKU of a parent gives its family the name of the variant.
    if (family && (isParent(family.sku) || isParent(family.name)))
      return { ...family, name: family.name === name ? parentName! : family.name };
    return { name: parentName!, sku: parentName === parent ? null : parent };
  }

  /** The first row with this SKU, or else with this name. */
  private rowNamed(text: string): number | undefined {
    if (!this.#rowsByName) {
      const rows = new Map<string, number>();
      for (const field of ['sku', 'name'] as const)
        for (const at of this.page.rows.keys()) {
          const key = folded(this.cell(at, field) ?? '');
          if (key && !rows.has(key)) rows.set(key, at);
        }
      this.#rowsByName = rows;
    }
    return this.#rowsByName.get(text);
  }

  private details(at: number): ImportDetails {
    const details: ImportDetails = { ...noDetails(), rows: [this.row(at)] };
    if (this.lacksName(at)) details.questions.push({ ...nameQuestion, column: this.headerOf('name') });
    for (const [index, column] of this.#columns.entries()) {
      const { header, field, attribute, isIgnored } = column;
      const cell = unquoted(this.page.rows[at]![index]?.trim() ?? '');
      if (cell === '') {
        if (field) details.empty.fields.push(field);
        if (attribute) details.empty.slugs.push(attribute.slug);
        continue;
      }
      const reading = attribute ? readCell(cell, attribute, formatOf(column)) : undefined;
      if (attribute && reading) {
        const about = { attributeId: attribute.id, attributeName: attribute.name, attributeType: attribute.type };
        const { slug } = attribute;
        if (!('value' in reading)) {
          const { question: text, readings } = reading;
          details.questions.push({
            key: `value ${slug}`,
            kind: 'value',
            slug,
            column: header,
            cell,
            text,
            readings,
            ...about,
          });
        } else if (reading.value !== null) details.values.push({ slug, column: header, cell, value: reading.value, ...about });
      }
      if (!isIgnored && !field && (!reading || !('value' in reading))) details.source.push({ column: header, cell });
    }
    return details;
  }

  private headerOf(field: FieldName): string {
    return this.#columns[this.#fields.get(field)!]!.header;
  }
}

const nameQuestion: ImportQuestion = {
  key: 'name',
  kind: 'name',
  slug: null,
  column: '',
  cell: '',
  text: 'The row has no name.',
  readings: [],
};
