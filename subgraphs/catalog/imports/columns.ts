import { type EnumValue, enums } from '../../../schema/enums.ts';
import { translatedNames } from '../attributes/translation.ts';
import { unitOf } from '../extraction/unit-conversion.ts';
import type { DecimalMark } from '../uploads/decimal-marks.ts';
import type { CellAttribute, CellFormat } from './cells.ts';

/** The fields of a product that a column can fill. `parent` names the parent of a variant by SKU or name; several columns can. */
const FIELDS = enums.ImportField.values;
export type FieldName = EnumValue<'ImportField'>;

/** Headers of the fields in English and German. They are compared without case, spaces and punctuation. */
const HEADERS: Record<FieldName, string[]> = {
  sku: [
    ...[
      'sku',
      'variant sku',
      'item number',
      'item no',
      'item code',
      'article number',
      'article no',
      'product code',
      'product number',
    ],
    ...['code', 'artikelnummer', 'artikelnr', 'artikel nr', 'art nr', 'produktnummer', 'bestellnummer', 'bestell nr'],
  ],
  name: [
    ...['name', 'product name', 'product', 'title', 'product title', 'item', 'item name'],
    ...['bezeichnung', 'artikelbezeichnung', 'artikelname', 'produktname', 'produktbezeichnung', 'titel', 'artikel', 'produkt'],
  ],
  brand: ['brand', 'brand name', 'marke', 'markenname'],
  category: ['category', 'product category', 'product type', 'kategorie', 'produktkategorie', 'warengruppe', 'produktgruppe'],
  manufacturer: ['manufacturer', 'maker', 'hersteller', 'herstellername', 'produzent'],
  mpn: [
    ...['mpn', 'part number', 'manufacturer part number', 'herstellernummer', 'hersteller nr', 'herstellerartikelnummer'],
    'hersteller artikelnummer',
  ],
  uom: ['uom', 'unit of measure', 'mengeneinheit', 'bestelleinheit', 'verkaufseinheit'],
  externalId: ['external id', 'externe id', 'external key'],
  parent: [
    ...[
      'parent sku',
      'parent',
      'parent name',
      'parent product',
      'handle',
      'family',
      'family sku',
      'family name',
      'group',
      'variant of',
    ],
    ...[
      'variation of',
      'item group id',
      'variante von',
      'variante zu',
      'elternartikel',
      'elternprodukt',
      'hauptartikel',
      'vaterartikel',
    ],
    ...['übergeordneter artikel', 'familie', 'produktfamilie', 'gruppe'],
  ],
  isParent: ['is parent', 'ist elternartikel'],
};

const compact = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '');

/** A header for comparison, with umlauts as one letter and as two. */
function keysOf(text: string): string[] {
  const lower = text.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss');
  const expanded = lower.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue');
  const stripped = lower.normalize('NFKD').replace(/\p{M}/gu, '');
  return [...new Set([compact(stripped), compact(expanded)])].filter(Boolean);
}

/** The field of each known header, with the rank of the header among those of its field. */
const fieldsByKey = new Map(
  FIELDS.flatMap((field) => HEADERS[field].flatMap((header, rank) => keysOf(header).map((key) => [key, { field, rank }] as const))),
);

/** A column of a table and its use. A column can fill a field and an attribute. The format is the one that a person chose. */
export interface Column extends CellFormat {
  header: string;
  /** The format that its header and its cells show. It counts where nobody chose one. */
  detected: CellFormat;
  field?: FieldName;
  attribute?: CellAttribute;
  /** Whether its cells are left out, also as a source. */
  isIgnored?: boolean;
  /** Why the column has this use. */
  reason?: EnumValue<'ImportColumnReason'>;
}

/** How the cells of a column are read. */
export const formatOf = ({ mark, unit, detected }: Column): CellFormat => ({
  mark: mark ?? detected.mark,
  unit: unit ?? detected.unit,
});

/** The formats that the headers of a table and the decimal marks of its cells show. */
export function detectedFormats(headers: readonly string[], marks: readonly DecimalMark[]): CellFormat[] {
  const isExport = EXPORTED.every((header) => headers.includes(header));
  return headers.map((header, at) => ({ mark: isExport ? '.' : (marks[at] ?? null), unit: splitUnit(header).unit }));
}

/** How a saved mapping uses a column with a header. */
export interface Synonym extends CellFormat {
  attributeId: string;
}

/** Splits the unit from the end of a header such as `Weight (kg)`, `Weight [kg]`, `weight_kg` or `Weight in kg`. */
function splitUnit(header: string): { name: string; unit: string | null } {
  const parts = /^(.*\S)\s*[([]([^()[\]]{1,12})[)\]]$/.exec(header) ?? /^(.*[^\s_])(?:[\s_]+in)?[\s_]+(\S{1,12})$/.exec(header);
  const [, name, unit] = parts ?? [];
  // `Model year` is no `Model` in years.
  return name && unit && unitOf(unit) && !/\s(?:year|jahr|month|monat)$/i.test(header)
    ? { name, unit }
    : { name: header, unit: null };
}

/** A name for each column, as keys. Columns without a header are called by their letters, as in a spreadsheet. */
export function headersOf(columns: readonly string[], width: number): string[] {
  const seen = new Map<string, number>();
  return Array.from({ length: Math.max(width, columns.length) }, (_, at) => {
    const header = columns[at] || letters(at);
    const count = (seen.get(header) ?? 0) + 1;
    seen.set(header, count);
    return count > 1 ? `${header} ${count}` : header;
  });
}

const letters = (at: number): string => (at < 26 ? '' : letters(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26));

/** The headers of the export of this service, which writes numbers with a point. */
const EXPORTED = [
  'sku',
  'name',
  'brand',
  'category',
  'manufacturer',
  'mpn',
  'uom',
  'externalId',
  'parentSku',
  'parentName',
  'isParent',
];

/**
 * Finds the field and the attribute of each column by its header: the slug of an attribute counts before its name, the own names of all
 * attributes before translated ones, and these before the header of an earlier file. Each is used once.
 */
export function matchColumns(
  headers: readonly string[],
  marks: readonly DecimalMark[],
  attributes: readonly CellAttribute[],
  synonyms: ReadonlyMap<string, Synonym> = new Map(),
): Column[] {
  const detected = detectedFormats(headers, marks);
  const columns = headers.map((header, at): Column => ({ header, mark: null, unit: null, detected: detected[at]! }));
  const ranks: ((header: string) => string[])[] = [(header) => keysOf(header), (header) => keysOf(splitUnit(header).name)];
  const own = [
    { reason: 'slug', index: indexOf(attributes, ({ slug }) => [slug]) },
    { reason: 'name', index: indexOf(attributes, ({ name }) => [name]) },
  ] as const;
  // A header that names an attribute itself never means another one that is called so in another language.
  const isOwn = (key: string) => own.some(({ index }) => index.has(key));
  const translated = [...indexOf(attributes, translatedNames)].filter(([key]) => !isOwn(key));
  const indexes = [own, [{ reason: 'name', index: new Map(translated) }]] as const;
  const [fields, used] = [new Set<FieldName>(), new Set<string>()];
  // `SKU` is the SKU, although there is also a column `Code`.
  const named = columns
    .flatMap((column) =>
      keysOf(column.header).flatMap((key) => (fieldsByKey.has(key) ? [{ column, ...fieldsByKey.get(key)! }] : [])),
    )
    .sort((one, other) => one.rank - other.rank);
  for (const { column, field } of named) {
    if (column.field || (field !== 'parent' && fields.has(field))) continue;
    column.field = field;
    column.reason = 'header';
    fields.add(field);
  }
  const passes = indexes.flatMap((each) => ranks.flatMap((keys) => each.map((index) => ({ keys, ...index }))));
  for (const { keys, reason, index } of passes) {
    for (const column of columns) {
      const attribute = column.attribute
        ? undefined
        : keys(column.header)
            .map((key) => index.get(key))
            .find(Boolean);
      if (!attribute || used.has(attribute.slug)) continue;
      column.attribute = attribute;
      column.reason ??= reason;
      used.add(attribute.slug);
    }
  }
  const byId = new Map(attributes.map((attribute) => [attribute.id, attribute]));
  for (const column of columns) {
    const synonym = column.attribute ? undefined : synonyms.get(synonymKey(column.header));
    const attribute = synonym && byId.get(synonym.attributeId);
    if (!attribute || used.has(attribute.slug)) continue;
    // The cells of this file show its own decimal mark.
    Object.assign(column, { attribute, unit: synonym.unit, mark: column.detected.mark ? null : synonym.mark });
    column.reason ??= 'synonym';
    used.add(attribute.slug);
  }
  return columns;
}

/** A header as saved mappings know it. */
export const synonymKey = (header: string): string => keysOf(header)[0] ?? '';

/** Attributes by a name of theirs; null for a name that several have. */
function indexOf(
  attributes: readonly CellAttribute[],
  namesOfEach: (attribute: CellAttribute) => string[],
): Map<string, CellAttribute | null> {
  const index = new Map<string, CellAttribute | null>();
  for (const attribute of attributes)
    for (const key of namesOfEach(attribute).flatMap(keysOf))
      index.set(key, index.has(key) && index.get(key) !== attribute ? null : attribute);
  return index;
}
