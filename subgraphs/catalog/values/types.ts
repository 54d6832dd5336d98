import { Field, Float, ID, ObjectType } from 'type-graphql';
import { User } from '../../../platform/identity/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import {
  AttributeContentScalar,
  type AttributeType,
  type AttributeValues,
  type Provenances,
} from '../attributes/attribute-content.ts';
import { AcceptedByRule, ValueCell } from '../attributes/value-types.ts';

@ObjectType({ description: 'The decision of a reviewer about a stored value.' })
export class ValueDecision {
  @Field(() => enumTypes.ReviewVerdict)
  verdict!: EnumValue<'ReviewVerdict'>;

  @Field(() => User, { nullable: true, description: 'Null if a rule accepted the value, or the user was deleted.' })
  decidedBy!: User | null;

  @Field(() => Date)
  decidedAt!: Date;
}

@ObjectType({ description: 'The stored value of one attribute, with its origin. Values that callers wrote have no origin.' })
export class StoredValue {
  @Field(() => String, { description: 'The slug of the attribute.' })
  slug!: string;

  @Field(() => String, { description: 'The name of the attribute when the value was written.' })
  attributeName!: string;

  @Field(() => enumTypes.AttributeType)
  attributeType!: AttributeType;

  @Field(() => AttributeContentScalar, { nullable: true, description: 'Null means that nothing was found.' })
  value!: AttributeValues[string]['value'];

  @Field(() => Float, { nullable: true, description: '0 to 100.' })
  confidence!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The model that read the value, or `variants`, `review`, `import` or `edit`.',
  })
  model!: string | null;

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

  @Field(() => Date, { nullable: true, description: 'When a job or reviewer wrote the value.' })
  at!: string | null;

  @Field(() => AcceptedByRule, { nullable: true, description: 'Null unless a rule accepted the value without a person.' })
  acceptedBy?: AcceptedByRule;

  @Field(() => ID, { nullable: true })
  jobId!: string | null;

  @Field(() => ID, { nullable: true })
  itemId!: string | null;

  attributeId!: string | null;
  organizationId!: string;
}

const noOrigin = {
  confidence: null,
  model: null,
  sourceKind: null,
  sourceUrl: null,
  snippet: null,
  at: null,
  jobId: null,
  itemId: null,
};

/** The entries of a map of values, each with its origin. */
export const storedValues = (organizationId: string, values: AttributeValues, provenance: Provenances): StoredValue[] =>
  Object.entries(values).map(([slug, value]) => ({ ...noOrigin, ...provenance[slug], ...value, slug, organizationId }));
