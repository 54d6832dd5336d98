import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';
import { clock } from '../../../platform/database/index.ts';
import { field, list, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { truncate } from '../../../schema/text.ts';
import {
  type AttributeContent,
  AttributeContentScalar,
  type AttributeType,
  type AttributeValue,
  type AttributeValues,
  type Provenance,
  type Provenances,
} from '../attributes/attribute-content.ts';

const VariantOptionsScalar = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  name: 'VariantOptions',
  description: 'A map of option name to the value of a variant, for example `{ "Size": "M" }`.',
});

@ObjectType({ description: 'The fields of a family, variant or standalone product as the files state them.' })
export class ImportData extends output({
  name: field(String),
  sku: field(String, 'Empty if the files state no SKU.'),
  brand: field(String, { nullable: true }),
  category: field(String, { nullable: true }),
  manufacturer: field(String, { nullable: true }),
  mpn: field(String, { nullable: true, description: 'Manufacturer part number.' }),
  uom: field(String, { optional: true, description: 'Unit of measure.' }),
  externalId: field(String, { optional: true, description: "The caller's own identifier." }),
  variantOptions: field(VariantOptionsScalar, 'Empty for families.').as<Record<string, string>>(),
}) {}

@ObjectType({ description: 'A row of a table in an uploaded file.' })
export class ImportRow extends output({
  file: field(String, 'The name of the file.'),
  sheet: field(String, 'The name of the sheet; `CSV` for CSV files.'),
  row: field(Int, 'The number of the row as a spreadsheet shows it.'),
}) {
  /** The job item that read the row. */
  itemId!: string;

  /** Order of the row in the files. */
  position?: number;
}

@ObjectType({ description: 'A cell of a row with its column.' })
export class ImportCell extends output({
  column: field(String),
  cell: field(String),
}) {}

@ObjectType({ description: 'The value of an attribute that a cell states, in the type and unit of the attribute.' })
export class ImportValue extends output(ImportCell, {
  slug: field(String, 'The slug of the attribute.'),
  attributeName: field(String),
  attributeType: field(enumTypes.AttributeType).as<AttributeType>(),
  value: field(AttributeContentScalar, { nullable: true }).as<AttributeContent>(),
}) {
  attributeId!: string;

  /** The row of the value, if it is not the first one of the item. */
  from?: ImportRow;
}

@ObjectType({ description: 'A question that a person answers with `updateImportItem`, because the file does not.' })
export class ImportQuestion extends output(ImportCell, {
  key: field(String, 'Identifies the question within its item.'),
  kind: field(enumTypes.ImportQuestionKind),
  slug: field(String, { nullable: true, description: 'The slug of the attribute, for a question about a value.' }),
  text: field(String, 'The reason for the question.'),
  readings: list(
    AttributeContentScalar,
    'Possible answers. For duplicates, the numbers of the rows; the item has the first one until somebody answers.',
  ).as<AttributeContent[]>(),
  statements: list(String, {
    nullable: true,
    description: 'For duplicates, the content of each row in the columns in which they differ, in the order of `readings`.',
  }).as<string[] | undefined>(),
  attributeName: field(String, { nullable: true, description: 'The name of the attribute, for a question about a value.' }).as<
    string | undefined
  >(),
  attributeType: field(enumTypes.AttributeType, {
    nullable: true,
    description: 'The type of the attribute, for a question about a value.',
  }).as<AttributeType | undefined>(),
}) {
  attributeId?: string;
}

/** The fields and attributes whose columns exist and are empty in a row. */
interface EmptyCells {
  fields: string[];
  slugs: string[];
}

/** A row of a file that states a product. */
export interface ImportCandidate {
  row: ImportRow;
  data: ImportData;
  empty: EmptyCells;
  values: ImportValue[];
  /** The cells that are neither fields nor values. */
  source: ImportCell[];
  questions: ImportQuestion[];
}

/** The content of an item besides its fields. */
export interface ImportDetails {
  rows: ImportRow[];
  values: ImportValue[];
  source: ImportCell[];
  questions: ImportQuestion[];
  empty: EmptyCells;
  /** Other rows with the same identity and different content. */
  others: ImportCandidate[];
}

export const noDetails = (): ImportDetails => ({
  ...{ rows: [], values: [], source: [], questions: [], others: [] },
  empty: { fields: [], slugs: [] },
});

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
