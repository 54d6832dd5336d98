import { clock } from '../../../platform/database/index.ts';
import { truncate } from '../../../schema/text.ts';
import type { AttributeValue, AttributeValues, Provenance, Provenances } from '../attributes/attribute-content.ts';
import type { ImportDetails } from './data.ts';

const MAX_SNIPPET = 500;

/** The values of an item with the cells from which they were read. */
export function valuesOf(
  { rows: [first], values }: ImportDetails,
  jobId: string,
): { attributes: AttributeValues; provenance: Provenances } {
  const at = clock.now().toISOString();
  const read = values.map(({ slug, column, cell, attributeId, attributeName, attributeType, value, from: row = first }) => {
    const content: AttributeValue = { attributeId, attributeName, attributeType, value };
    const origin: Provenance | undefined = row && {
      ...{
        jobId,
        itemId: row.itemId,
        model: 'import',
        confidence: 100,
        sourceKind: 'import',
        sourceUrl: null,
        contentHash: null,
        at,
      },
      snippet: truncate(`${column}: ${cell}`, MAX_SNIPPET),
      cell: { file: row.file, sheet: row.sheet, row: row.row, column },
    };
    return { slug, content, origin };
  });
  return {
    attributes: Object.fromEntries(read.map(({ slug, content }) => [slug, content])),
    provenance: Object.fromEntries(read.flatMap(({ slug, origin }) => (origin ? [[slug, origin]] : []))),
  };
}

/** The cells that are no fields and no values, for later enrichments. */
export const sourceText = ({ source }: ImportDetails): string => source.map(({ column, cell }) => `${column}: ${cell}`).join('\n');
