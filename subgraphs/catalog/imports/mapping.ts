import { requireAll } from '../../../platform/database/index.ts';
import { refuseFaults } from '../../../platform/fields/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { Attribute } from '../attributes/entity.ts';
import { createAttribute } from '../attributes/service.ts';
import type { DecimalMark } from '../uploads/decimal-marks.ts';
import type { CellAttribute } from './cells.ts';
import { type Column, detectedFormats } from './columns.ts';
import type { TableHead } from './file-rows.ts';
import type { ColumnUse, ImportColumnInput, ImportTableMapping, NewColumnAttribute, TableMapping } from './mapping-types.ts';

const MARKS = { point: '.', comma: ',' } as const;

export const markOf = (mark: EnumValue<'DecimalMark'> | null): DecimalMark => mark && MARKS[mark];
export const decimalMarkOf = (mark: DecimalMark): EnumValue<'DecimalMark'> | null => mark && (mark === '.' ? 'point' : 'comma');

/** Headers for comparison, also those that PostgreSQL cannot store. */
export const headerKey = (header: string): string => header.normalize('NFKC').trim().toLowerCase();

/** The use of each header: that of the same text, or else of one that differs in case and spaces at the ends. */
export function usesByHeader<Use extends { column: string }>(
  headers: readonly string[],
  uses: readonly Use[],
): (Use | undefined)[] {
  const exact = new Map(uses.map((use) => [use.column, use]));
  const known = new Set(headers);
  const alike = new Map(uses.filter(({ column }) => !known.has(column)).map((use) => [headerKey(use.column), use]));
  return headers.map((header) => {
    const key = headerKey(header);
    const use = exact.get(header) ?? alike.get(key);
    if (use && use === alike.get(key)) alike.delete(key);
    return use;
  });
}

/** The columns of a table with the uses of a mapping. Attributes that were deleted leave a source. */
export function mappedColumns(
  headers: readonly string[],
  marks: readonly DecimalMark[],
  uses: readonly ColumnUse[],
  attributes: readonly CellAttribute[],
): Column[] {
  const [ofHeaders, detected] = [usesByHeader(headers, uses), detectedFormats(headers, marks)];
  const byId = new Map(attributes.map((attribute) => [attribute.id, attribute]));
  return headers.map((header, at): Column => {
    const use = ofHeaders[at];
    return {
      header,
      field: use?.field ?? undefined,
      attribute: byId.get(use?.attributeId ?? ''),
      isIgnored: use?.isIgnored,
      unit: use?.unit ?? null,
      mark: markOf(use?.decimalMark ?? null),
      detected: detected[at]!,
    };
  });
}

/** Throws `INVALID_INPUT` unless the uses agree with each other. */
export function checkUses(columns: readonly ImportColumnInput[], path: string): void {
  refuseFaults(usesFaults(columns, path));
}

function* usesFaults(columns: readonly ImportColumnInput[], path: string): Generator<string> {
  const seen = new Set<string>();
  const fields = columns.flatMap(({ field }) => field ?? []);
  for (const [at, { column, field, attributeId, newAttribute, isIgnored }] of columns.entries()) {
    const used = [
      `column ${column}`,
      ...(field && field !== 'parent' ? [`field ${field}`] : []),
      ...(attributeId ? [`attribute ${attributeId.toLowerCase()}`] : []),
      ...(newAttribute ? [`attribute slug ${newAttribute.slug}`] : []),
    ];
    if (used.some((use) => seen.has(use))) yield `${path}[${at}] repeats the column, field or attribute of another entry`;
    for (const use of used) seen.add(use);
    if (attributeId && newAttribute) yield `${path}[${at}] must not have both attributeId and newAttribute`;
    if (isIgnored && (field || attributeId || newAttribute)) yield `${path}[${at}] must not be ignored and have a use`;
  }
  if (!fields.includes('sku') && !fields.includes('name')) yield `${path} must have a column for sku or name`;
}

/** The tables of a mapping, checked against the files. Throws `INVALID_INPUT` for unknown tables and columns, `NOT_FOUND` for attributes. */
export async function checkMapping(
  scope: Scope,
  mapping: readonly ImportTableMapping[],
  heads: readonly TableHead[],
): Promise<void> {
  const faults: string[] = [];
  const seen = new Set<TableHead>();
  for (const [at, { fileId, sheet, columns }] of mapping.entries()) {
    const head = heads.find((each) => each.fileId === fileId.toLowerCase() && each.sheet === sheet);
    if (!head || seen.has(head)) {
      faults.push(head ? `mapping[${at}] repeats a table` : `mapping[${at}] names no table of the files`);
      continue;
    }
    seen.add(head);
    const known = new Set(head.headers.map(headerKey));
    for (const [place, { column }] of columns.entries())
      if (!known.has(headerKey(column))) faults.push(`mapping[${at}].columns[${place}].column is no column of the table`);
    faults.push(...usesFaults(columns, `mapping[${at}].columns`));
  }
  refuseFaults(faults);
  await requireAttributes(
    scope,
    mapping.flatMap(({ columns }) => columns),
  );
}

/** The product attributes that columns name. Throws `NOT_FOUND` unless all exist. */
export const requireAttributes = ({ em }: Scope, columns: readonly ImportColumnInput[]): Promise<Attribute[]> =>
  requireAll(
    columns.flatMap(({ attributeId }) => attributeId ?? []),
    'Attribute',
    (ids) => em.find(Attribute, { id: { $in: ids }, subject: 'product' }),
  );

/** Creates the new attributes of the columns in the transaction of the scope, and returns the uses as they are stored. */
export async function confirmUses(scope: RequestScope, columns: readonly ImportColumnInput[]): Promise<ColumnUse[]> {
  const uses: ColumnUse[] = [];
  for (const column of columns) {
    const { newAttribute, attributeId = null } = column;
    const id = newAttribute ? await attributeFor(scope, newAttribute) : (attributeId?.toLowerCase() ?? null);
    uses.push(useOf(column, id));
  }
  return uses;
}

export const useOf = (column: ImportColumnInput, attributeId: string | null): ColumnUse => ({
  column: column.column,
  field: column.field ?? null,
  attributeId,
  unit: column.unit?.trim() || null,
  decimalMark: column.decimalMark ?? null,
  isIgnored: column.isIgnored,
});

/** The attribute with the slug, which is created if there is none. */
async function attributeFor(scope: RequestScope, { name, slug, type, unit }: NewColumnAttribute): Promise<string> {
  const known = await scope.em.findOne(Attribute, { slug, subject: 'product' });
  if (known && known.type !== type) throw fail('CONFLICT', `The attribute ${slug} has the type ${known.type}.`);
  if (known) return known.id;
  if (scope.organization.role === 'member') throw fail('FORBIDDEN', 'Only admins can create attributes.');
  const created = await createAttribute(scope, { name, slug, type, unit, subject: 'product' });
  return created.id;
}

/** The mapping of the table of a page; undefined if a model reads it. */
export const mappingOf = (
  mapping: readonly TableMapping[] | null,
  fileId: string | null,
  sheet: string,
): TableMapping | undefined => mapping?.find((each) => each.fileId === fileId && each.sheet === sheet);
