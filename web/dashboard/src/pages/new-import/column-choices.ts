import type { ImportColumnInput, ImportProposalQuery, ImportTableMapping } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { slugOf } from '../../parts/slug.ts';

export const PROPOSAL = graphql(`
  query ImportProposal($files: [ID!]!, $mapping: [ImportTableMapping!]) {
    proposeImportMapping(uploadedFileIds: $files, mapping: $mapping) {
      fileId file sheet pages saved { id supplier }
      columns {
        column field attribute { id name } newAttribute { name slug type unit } unit decimalMark detectedUnit detectedDecimalMark isIgnored reason samples
      }
      rows { row data { name sku brand category manufacturer mpn uom externalId } parent values { column cell value attributeType } questions { column cell text } }
    }
  }
`);

export const ASK_MAPPING = graphql(`
  mutation AskMapping($file: ID!) {
    askImportMapping(uploadedFileId: $file) {
      fileId file sheet pages saved { id supplier }
      columns {
        column field attribute { id name } newAttribute { name slug type unit } unit decimalMark detectedUnit detectedDecimalMark isIgnored reason samples
      }
      rows { row data { name sku brand category manufacturer mpn uom externalId } parent values { column cell value attributeType } questions { column cell text } }
    }
  }
`);

export const PRODUCT_ATTRIBUTES = graphql(`query ColumnAttributes { attributes(subject: product) { id name slug type unit } }`);

export const SAVE_MAPPING = graphql(`
  mutation SaveMapping($input: NewImportMapping!) { saveImportMapping(input: $input) { id supplier columns { column attributeId } } }
`);

export type Proposal = ImportProposalQuery['proposeImportMapping'][number];
export type TableMapping = Omit<ImportTableMapping, 'columns'> & { columns: ColumnChoice[] };
export type ColumnChoice = ImportColumnInput;

/** Identifies a table in the files of an import. */
export const keyOf = ({ fileId, sheet }: { fileId: string; sheet?: string | null }): string => `${fileId} ${sheet}`;

/** The proposed uses as the choice of the user. Detected formats are none, because they belong to this file. */
export const choicesOf = ({ columns }: Proposal): ColumnChoice[] =>
  columns.map(({ column, field, attribute, newAttribute, unit, decimalMark, isIgnored }) => ({
    ...{ column, field, attributeId: attribute?.id, unit, decimalMark, isIgnored },
    newAttribute: newAttribute && { ...newAttribute },
  }));

const NEW = 'new';
const SOURCE = 'source';
const IGNORED = 'ignored';

/** The use of a column as the value of a select. */
export function choiceKey({ field, attributeId, newAttribute, isIgnored }: ColumnChoice): string {
  if (isIgnored) return IGNORED;
  if (newAttribute) return NEW;
  if (field) return `field ${field}`;
  return attributeId ? `attribute ${attributeId}` : SOURCE;
}

/** The column with another use. A field or attribute moves here from the column that had it. */
export function withUse(columns: readonly ColumnChoice[], at: number, use: string): ColumnChoice[] {
  const { column, unit, decimalMark } = columns[at]!;
  const [kind, name] = use.split(' ');
  const field = kind === 'field' ? (name as ColumnChoice['field']) : undefined;
  const attributeId = kind === 'attribute' ? name : undefined;
  const newAttribute = kind === NEW ? { name: column, slug: slugOf(column, 128), type: 'text' as const } : undefined;
  return columns.map((each, place) => {
    if (place === at) return { column, field, attributeId, newAttribute, unit, decimalMark, isIgnored: kind === IGNORED };
    const isMoved = field && field !== 'parent' && each.field === field;
    return {
      ...each,
      field: isMoved ? undefined : each.field,
      attributeId: attributeId && each.attributeId === attributeId ? undefined : each.attributeId,
    };
  });
}

/** The columns, where those that are only a source have the proposed use, unless another column has it. */
export function completed(columns: readonly ColumnChoice[], proposed: readonly ColumnChoice[]): ColumnChoice[] {
  const used = new Set(columns.map(choiceKey));
  return columns.map((each, at) => {
    const proposal = proposed[at];
    return !proposal || choiceKey(each) !== SOURCE || used.has(choiceKey(proposal)) ? each : proposal;
  });
}

/** Whether the columns identify products. */
export const isComplete = (columns: readonly ColumnChoice[]): boolean =>
  columns.some(({ field }) => field === 'sku' || field === 'name');

export const specialUses = { new: NEW, source: SOURCE, ignored: IGNORED };
