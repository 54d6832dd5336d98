import type { RequestScope } from '../../../platform/scope/index.ts';
import { Attribute } from '../attributes/entity.ts';
import { listAttributes } from '../attributes/service.ts';
import { requireFiles } from '../uploads/service.ts';
import { type CellAttribute, cleanValues } from './cells.ts';
import { type Column, matchColumns } from './columns.ts';
import { type TableHead, tableHeads } from './file-rows.ts';
import { checkMapping, decimalMarkOf, mappedColumns, useOf, usesByHeader } from './mapping.ts';
import {
  type ImportColumnInput,
  type ImportColumnProposal,
  type ImportMapping,
  type ImportPreviewRow,
  type ImportTableMapping,
  type ImportTableProposal,
  type NewColumnAttribute,
  type ProposalArguments,
  SHOWN,
} from './mapping-types.ts';
import { findSaved, synonymsOf } from './saved-mappings.ts';
import { TableRows } from './table-rows.ts';

/**
 * The tables of files with a use for each column and their first rows as an import would read them: by the given mapping, else by a saved
 * mapping of the same columns, else by the headers. Throws `NOT_FOUND` for unknown files and attributes.
 * @param asked the uses that a model proposes for columns that nothing else matches, also not a saved mapping
 */
export async function proposeImportMapping(
  scope: RequestScope,
  { uploadedFileIds, mapping }: ProposalArguments,
  asked: readonly ImportColumnInput[] = [],
): Promise<ImportTableProposal[]> {
  const heads = await tableHeads(scope, await requireFiles(scope, uploadedFileIds));
  await checkMapping(scope, mapping ?? [], heads);
  const attributes = await listAttributes(scope, 'product');
  const saved = await findSaved(
    scope,
    heads.map(({ headers }) => headers),
  );
  const synonyms = await synonymsOf(
    scope,
    heads.flatMap(({ headers }) => headers),
  );
  const tables = heads.map((head, at) => {
    const chosen = mapping?.find(({ fileId, sheet }) => fileId.toLowerCase() === head.fileId && sheet === head.sheet);
    if (chosen) return chosenTable(head, chosen, attributes, saved[at]!);
    const [first] = saved[at]!;
    const columns = first
      ? mappedColumns(head.headers, head.page.marks, first.columns, attributes).map(
          (column): Column => ({ ...column, reason: column.field || column.attribute || column.isIgnored ? 'saved' : undefined }),
        )
      : matchColumns(head.headers, head.page.marks, attributes, synonyms);
    return tableOf(head, withAsked(columns, asked, attributes), saved[at]!, asked);
  });
  await cleanValues(
    scope,
    tables.flatMap(({ rows }) => rows.flatMap(({ values }) => values)),
  );
  return tables;
}

/** The columns, where those without a use have the one that a model proposes. Each field and attribute is used once. */
function withAsked(columns: Column[], asked: readonly ImportColumnInput[], attributes: readonly CellAttribute[]): Column[] {
  const inputs = usesByHeader(
    columns.map(({ header }) => header),
    asked,
  );
  const byId = new Map(attributes.map((attribute) => [attribute.id, attribute]));
  const used = new Set<unknown>(columns.flatMap(({ field, attribute }) => [field, attribute?.slug]));
  for (const [at, column] of columns.entries()) {
    const input = column.reason ? undefined : inputs[at];
    if (!input) continue;
    const planned = input.newAttribute ? plannedAttribute(input.newAttribute) : undefined;
    const [field, attribute] = [input.field ?? undefined, byId.get(input.attributeId ?? '') ?? planned];
    const wanted = [field === 'parent' ? undefined : field, attribute?.slug].filter(Boolean);
    if ((!field && !attribute) || wanted.some((each) => used.has(each))) continue;
    for (const each of wanted) used.add(each);
    Object.assign(column, { field, attribute, unit: input.unit ?? null, reason: 'model' });
  }
  return columns;
}

/** A table with the uses that the caller tries. Attributes that are not created yet have the slug as their id. */
function chosenTable(head: TableHead, { columns: given }: ImportTableMapping, attributes: Attribute[], saved: ImportMapping[]) {
  const planned = given.flatMap(({ newAttribute }) => (newAttribute ? [plannedAttribute(newAttribute)] : []));
  const uses = given.map((column) => useOf(column, column.newAttribute?.slug ?? column.attributeId?.toLowerCase() ?? null));
  const columns = mappedColumns(head.headers, head.page.marks, uses, [...attributes, ...planned]).map((column): Column => {
    const isUsed = column.field || column.attribute || column.isIgnored;
    return { ...column, reason: isUsed ? 'choice' : undefined };
  });
  return tableOf(head, columns, saved, given);
}

const plannedAttribute = ({ name, slug, type, unit = null }: NewColumnAttribute): CellAttribute => ({
  ...{ id: slug, name, slug, type, unit: unit?.trim() || null },
  options: [],
  constraints: {},
});

function tableOf(
  head: TableHead,
  columns: readonly Column[],
  saved: ImportMapping[],
  given: readonly ImportColumnInput[] = [],
): ImportTableProposal {
  const { fileId, file, sheet, pages, page } = head;
  const planned = usesByHeader(head.headers, given);
  const proposals = columns.map((column, at): ImportColumnProposal => {
    const { header, field = null, attribute, unit, mark, detected, isIgnored = false, reason = null } = column;
    const newAttribute = reason === 'model' || reason === 'choice' ? planned[at]?.newAttribute : undefined;
    return {
      ...{ column: header, field, unit, decimalMark: decimalMarkOf(mark), isIgnored, reason },
      ...{ detectedUnit: detected.unit, detectedDecimalMark: decimalMarkOf(detected.mark) },
      attribute: attribute instanceof Attribute ? attribute : null,
      newAttribute: newAttribute ? { ...newAttribute, unit: newAttribute.unit ?? null } : null,
      samples: samplesOf(page.rows, at),
    };
  });
  return { fileId, file, sheet, pages, saved, columns: proposals, rows: previewOf(head, columns) };
}

const samplesOf = (rows: readonly string[][], at: number): string[] =>
  rows
    .values()
    .map((row) => row[at] ?? '')
    .filter(Boolean)
    .take(SHOWN)
    .toArray();

function previewOf({ page, file }: TableHead, columns: readonly Column[]): ImportPreviewRow[] {
  const first = { ...page, rows: page.rows.slice(0, SHOWN) };
  const table = new TableRows(first, columns, { file, itemId: '' });
  return first.rows.map((_, at) => {
    const product = table.mappedProduct(at);
    const row = page.numbers[at]!;
    if (!product) return { row, data: null, parent: null, values: [], source: [], questions: [] };
    const { details, family, isParent: __, place: ___, sku, ...data } = table.found(at, product);
    const { values, source, questions } = details;
    return { row, data: { ...data, sku: sku ?? '' }, parent: family && (family.sku ?? family.name), values, source, questions };
  });
}
