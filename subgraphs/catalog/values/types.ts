import { Float, ID, ObjectType } from 'type-graphql';
import { field, output } from '../../../platform/fields/index.ts';
import { User } from '../../../platform/identity/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import {
  AttributeContentScalar,
  type AttributeType,
  type AttributeValues,
  type Provenances,
} from '../attributes/attribute-content.ts';
import { AcceptedByRule, sourceFields } from '../attributes/value-types.ts';

@ObjectType({ description: 'The decision of a reviewer about a stored value.' })
export class ValueDecision extends output({
  verdict: field(enumTypes.ReviewVerdict),
  decidedBy: field(User, { nullable: true, description: 'Null if a rule accepted the value, or the user was deleted.' }),
  decidedAt: field(Date),
}) {}

@ObjectType({ description: 'The stored value of one attribute, with its origin. Values that callers wrote have no origin.' })
export class StoredValue extends output({
  slug: field(String, 'The slug of the attribute.'),
  attributeName: field(String, 'The name of the attribute when the value was written.'),
  attributeType: field(enumTypes.AttributeType).as<AttributeType>(),
  value: field(AttributeContentScalar, { nullable: true, description: 'Null means that nothing was found.' }).as<
    AttributeValues[string]['value']
  >(),
  confidence: field(Float, { nullable: true, description: '0 to 100.' }),
  model: field(String, {
    nullable: true,
    description: 'The model that read the value, or `variants`, `review`, `import` or `edit`.',
  }),
  ...sourceFields,
  at: field(Date, { nullable: true, description: 'When a job or reviewer wrote the value.' }).as<string>(),
  acceptedBy: field(AcceptedByRule, { nullable: true, description: 'Null unless a rule accepted the value without a person.' }).as<
    AcceptedByRule | undefined
  >(),
  jobId: field(ID, { nullable: true }),
  itemId: field(ID, { nullable: true }),
}) {
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
