import { Float, Int, ObjectType } from 'type-graphql';
import { field, output } from '../../../platform/fields/index.ts';

@ObjectType({
  description:
    'How many of the expected attributes the products have. Expected are the attributes of the set of their category, or all active ones if it has no set, or one without active attributes.',
})
export class Completeness extends output({
  products: field(Int),
  complete: field(Int, 'Number of products that have all expected attributes.'),
  percent: field(Float, {
    nullable: true,
    description: 'Share of the expected values that exist, 0 to 100. Null if none is expected.',
  }),
  requiredPercent: field(Float, {
    nullable: true,
    description: 'Share of the required values that exist, 0 to 100. Null if none is required.',
  }),
}) {}

@ObjectType({ description: 'The completeness of the catalog at the end of a day, or now for today.' })
export class CompletenessDay extends output({
  day: field(String, 'UTC day as `YYYY-MM-DD`.'),
  products: field(Int),
  percent: field(Float, { nullable: true, description: '0 to 100.' }),
  requiredPercent: field(Float, { nullable: true, description: '0 to 100.' }),
}) {}

@ObjectType({ description: 'Which of the expected attributes a product has.' })
export class ProductCompleteness extends output({
  percent: field(Float, {
    nullable: true,
    description: 'Share of the expected values that exist, 0 to 100. Null if none is expected.',
  }),
  requiredPercent: field(Float, {
    nullable: true,
    description: 'Share of the required values that exist, 0 to 100. Null if none is required.',
  }),
}) {
  missingSlugs!: string[];

  missingRequiredSlugs!: string[];
}
