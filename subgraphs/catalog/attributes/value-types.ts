import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { EnumValue } from '../../../schema/enums.ts';
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
export class AttributeValueType implements AttributeValue {
  @Field(() => ID, { nullable: true, description: 'The attribute, if the organization has it.' })
  attributeId!: string | null;

  @Field(() => String)
  attributeName!: string;

  @Field(() => enumTypes.AttributeType)
  attributeType!: AttributeType;

  @Field(() => AttributeContentScalar, { nullable: true, description: 'Null means that nothing was found.' })
  value!: AttributeContent;
}

@ObjectType({ description: 'The cell of an uploaded file from which an import read a value.' })
export class ValueCell {
  @Field(() => String, { description: 'The name of the file.' })
  file!: string;

  @Field(() => String, { description: 'The name of the sheet; `CSV` for CSV files.' })
  sheet!: string;

  @Field(() => Int, { description: 'The number of the row as a spreadsheet shows it.' })
  row!: number;

  @Field(() => String, { description: 'The header of the column.' })
  column!: string;
}

@ObjectType({ description: 'The rule that accepted a value without a person.' })
export class AcceptedByRule {
  @Field(() => ID)
  ruleId!: string;

  @Field(() => Int)
  version!: number;

  @Field(() => Float, { description: 'The share of right values that the rule promises, 0 to 1.' })
  precision!: number;

  @Field(() => Int, { description: 'The lowest score that the rule accepts.' })
  threshold!: number;
}

@ObjectType('Provenance', { description: 'The origin of one attribute value.' })
export class ProvenanceType implements Provenance {
  @Field(() => String, { description: 'The slug of the attribute.' })
  slug!: string;

  @Field(() => ID, { description: 'The job that wrote the value.' })
  jobId!: string;

  @Field(() => ID, { description: 'The item of the job that wrote the value.' })
  itemId!: string;

  @Field(() => String, { description: 'The model that read the value, or `variants`, `review`, `import` or `edit`.' })
  model!: string;

  @Field(() => Float, {
    description: '0 to 100. Calibrated: the share of right values among earlier values of the organization with such a confidence.',
  })
  confidence!: number;

  @Field(() => Float, { description: 'The confidence before calibration: that of the model, lowered if the evidence is weak.' })
  statedConfidence!: number;

  @Field(() => enumTypes.ValueEvidence, {
    nullable: true,
    description: 'How the sources support the value. Null for values of variants and reviews.',
  })
  evidence?: EnumValue<'ValueEvidence'> | null;

  @Field(() => Boolean, { description: 'Whether the value differs from all known values of the catalog.' })
  isNew!: boolean;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether two readings of the sources gave the same value. If not, the confidence is halved. Null without `agreement`.',
  })
  agreed?: boolean;

  @Field(() => AttributeContentScalar, {
    nullable: true,
    description: 'The value of the other reading, if it differs; at most 500 characters of a text. Null means that it found none.',
  })
  alternative?: AttributeContent;

  @Field(() => Float, {
    nullable: true,
    description: '0 to 100: ranks values by how likely they are right, from confidence, evidence, readings and similar products.',
  })
  score?: number;

  @Field(() => AcceptedByRule, { nullable: true, description: 'Null unless a rule accepted the value without a person.' })
  acceptedBy?: AcceptedByRule;

  @Field(() => Date, { nullable: true, description: 'When a person accepted or edited the value.' })
  reviewedAt?: string;

  @Field(() => String, {
    nullable: true,
    description: 'The kind of source: `text`, `page`, `search`, `file`, `import`, `variants`, `product`, `review` or `edit`.',
  })
  sourceKind!: string | null;

  @Field(() => String, { nullable: true })
  sourceUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'The name of a source without a URL, such as a file.' })
  sourceTitle?: string;

  @Field(() => ValueCell, { nullable: true, description: 'The cell of an imported value.' })
  cell?: ValueCell;

  @Field(() => String, { nullable: true, description: 'The passage that states the value.' })
  snippet!: string | null;

  @Field(() => String, { nullable: true, description: 'SHA-256 of the text of the source.' })
  contentHash!: string | null;

  @Field(() => Date, { description: 'The time when the value was written.' })
  at!: string;
}

/** The entries of a stored map, each with the slug of its attribute. */
export const provenanceList = (provenances: Provenances): ProvenanceType[] =>
  Object.entries(provenances).map(([slug, provenance]) => provenanceEntry(slug, provenance));

export const provenanceEntry = (slug: string, provenance: Provenance): ProvenanceType => ({
  slug,
  isNew: false,
  statedConfidence: provenance.confidence,
  ...provenance,
});
