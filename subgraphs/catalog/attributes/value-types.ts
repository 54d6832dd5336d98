import { Float, ID, Int, ObjectType } from 'type-graphql';
import { field, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import {
  type AttributeContent,
  AttributeContentScalar,
  type AttributeType,
  type AttributeValue,
  type Provenance,
  type Provenances,
} from './attribute-content.ts';

/** The length that the cost of an operation assumes for the provenance of one product. */
export const USUAL_PROVENANCE = 50;

@ObjectType('AttributeValue', { description: 'The value of one attribute.' })
export class AttributeValueType
  extends output({
    attributeId: field(ID, { nullable: true, description: 'The attribute, if the organization has it.' }),
    attributeName: field(String),
    attributeType: field(enumTypes.AttributeType).as<AttributeType>(),
    value: field(AttributeContentScalar, {
      nullable: true,
      description: 'Null means that nothing was found.',
    }).as<AttributeContent>(),
  })
  implements AttributeValue {}

@ObjectType({ description: 'The cell of an uploaded file from which an import read a value.' })
export class ValueCell extends output({
  file: field(String, 'The name of the file.'),
  sheet: field(String, 'The name of the sheet; `CSV` for CSV files.'),
  row: field(Int, 'The number of the row as a spreadsheet shows it.'),
  column: field(String, 'The header of the column.'),
}) {}

@ObjectType({ description: 'The rule that accepted a value without a person.' })
export class AcceptedByRule extends output({
  ruleId: field(ID),
  version: field(Int),
  precision: field(Float, 'The share of right values that the rule promises, 0 to 1.'),
  threshold: field(Int, 'The lowest score that the rule accepts.'),
}) {}

/** The source of a value. */
export const sourceFields = {
  sourceKind: field(String, {
    nullable: true,
    description: 'The kind of source: `text`, `page`, `search`, `file`, `import`, `variants`, `product`, `review` or `edit`.',
  }),
  sourceUrl: field(String, { nullable: true }),
  sourceTitle: field(String, { nullable: true, description: 'The name of a source without a URL, such as a file.' }).as<
    string | undefined
  >(),
  cell: field(ValueCell, { nullable: true, description: 'The cell of an imported value.' }).as<ValueCell | undefined>(),
  snippet: field(String, { nullable: true, description: 'The passage that states the value.' }),
};

@ObjectType('Provenance', { description: 'The origin of one attribute value.' })
export class ProvenanceType
  extends output({
    slug: field(String, 'The slug of the attribute.'),
    jobId: field(ID, 'The job that wrote the value.'),
    itemId: field(ID, 'The item of the job that wrote the value.'),
    model: field(String, 'The model that read the value, or `variants`, `review`, `import` or `edit`.'),
    confidence: field(
      Float,
      '0 to 100. Calibrated: the share of right values among earlier values of the organization with such a confidence.',
    ),
    statedConfidence: field(Float, 'The confidence before calibration: that of the model, lowered if the evidence is weak.'),
    evidence: field(enumTypes.ValueEvidence, {
      optional: true,
      description: 'How the sources support the value. Null for values of variants and reviews.',
    }),
    isNew: field(Boolean, 'Whether the value differs from all known values of the catalog.'),
    agreed: field(Boolean, {
      nullable: true,
      description:
        'Whether two readings of the sources gave the same value. If not, the confidence is halved. Null without `agreement`.',
    }).as<boolean | undefined>(),
    alternative: field(AttributeContentScalar, {
      nullable: true,
      description:
        'The value of the other reading, if it differs; at most 500 characters of a text. Null means that it found none.',
    }).as<AttributeContent | undefined>(),
    score: field(Float, {
      nullable: true,
      description: '0 to 100: ranks values by how likely they are right, from confidence, evidence, readings and similar products.',
    }).as<number | undefined>(),
    acceptedBy: field(AcceptedByRule, {
      nullable: true,
      description: 'Null unless a rule accepted the value without a person.',
    }).as<AcceptedByRule | undefined>(),
    reviewedAt: field(Date, { nullable: true, description: 'When a person accepted or edited the value.' }).as<
      string | undefined
    >(),
    ...sourceFields,
    contentHash: field(String, { nullable: true, description: 'SHA-256 of the text of the source.' }),
    at: field(Date, 'The time when the value was written.').as<string>(),
  })
  implements Provenance {}

/** The entries of a stored map, each with the slug of its attribute. */
export const provenanceList = (provenances: Provenances): ProvenanceType[] =>
  Object.entries(provenances).map(([slug, provenance]) => provenanceEntry(slug, provenance));

export const provenanceEntry = (slug: string, provenance: Provenance): ProvenanceType => ({
  slug,
  isNew: false,
  statedConfidence: provenance.confidence,
  ...provenance,
});
