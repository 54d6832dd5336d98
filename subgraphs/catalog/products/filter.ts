import { Field, Float, ID, InputType } from 'type-graphql';
import { type Bind, isId } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import { isLessComplete } from '../completeness/completeness.ts';
import { sameName } from '../labels/subjects.ts';

@InputType({ description: 'An attribute and its value.' })
export class AttributeValueFilter {
  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { description: 'The slug of the attribute.' })
  slug!: string;

  @Limited({ minLength: 1, maxLength: 1_024 })
  @Field(() => String, { description: 'The whole value as text, ignoring case. For a multiselect, one of its labels.' })
  value!: string;
}

@InputType({ description: 'Conditions that a product must meet. Omitted fields do not restrict the list.' })
export class ProductFilter {
  @Limited({ maxItems: 1_000 })
  @Field(() => [ID], { nullable: true })
  ids?: string[] | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Case and surrounding spaces are ignored.' })
  brand?: string | null;

  @Limited({ maxLength: 1_024 })
  @Field(() => String, { nullable: true, description: 'Case and surrounding spaces are ignored.' })
  category?: string | null;

  @Field(() => ID, { nullable: true, description: 'The parent of the variants.' })
  parentId?: string | null;

  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'The slug of an attribute for which the product has no value.' })
  missingAttribute?: string | null;

  @Field(() => AttributeValueFilter, { nullable: true })
  attribute?: AttributeValueFilter | null;

  @Limited({ min: 0, max: 100 })
  @Field(() => Float, { nullable: true, description: 'At least one value that a job wrote has a confidence below this, 0 to 100.' })
  confidenceBelow?: number | null;

  @Limited({ min: 0, max: 100 })
  @Field(() => Float, {
    nullable: true,
    description: 'The completeness is below this, 0 to 100. 100 lists all incomplete products.',
  })
  completenessBelow?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Lists archived products only. By default, they are left out.' })
  archived?: boolean | null;

  @Field(() => Date, {
    nullable: true,
    description:
      'Changed at this time or later. A change appears when its transaction commits, after its `updatedAt`: a reader who continues from the latest `updatedAt` subtracts 5 minutes.',
  })
  updatedSince?: Date | null;
}

/** SQL conditions of a filter on products as `r`. */
export function conditionsOf(filter: ProductFilter, organizationId: string, bind: Bind): string[] {
  const { ids, brand, category, parentId, missingAttribute, attribute, confidenceBelow, completenessBelow, updatedSince } = filter;
  const hash = (text: string) => `array[hashtextextended(${text}, 0)]`;
  const conditions = [
    ids && `r.id = any(${bind(ids.filter(isId))}::uuid[])`,
    brand != null && sameName('brand', brand)(bind),
    category != null && sameName('category', category)(bind),
    parentId != null && (isId(parentId) ? `r.parent_id = ${bind(parentId)}::uuid` : 'false'),
    missingAttribute && `not r.value_keys @> ${hash(`${bind(missingAttribute)}::text`)}`,
    attribute && `r.value_keys @> ${hash(`${bind(attribute.slug)}::text || chr(31) || lower(${bind(attribute.value)}::text)`)}`,
    confidenceBelow != null && `r.lowest_confidence < ${bind(confidenceBelow)}::real`,
    completenessBelow != null && isLessComplete(organizationId, completenessBelow, bind),
    updatedSince && `r.updated_at >= ${bind(updatedSince)}::timestamptz`,
  ];
  return conditions.filter((each) => typeof each === 'string');
}
