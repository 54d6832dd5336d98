import { Field, Float, Int, ObjectType } from 'type-graphql';

@ObjectType({
  description:
    'How many of the expected attributes the products have. Expected are the attributes of the set of their category, or all active ones if the category has none.',
})
export class Completeness {
  @Field(() => Int)
  products!: number;

  @Field(() => Int, { description: 'Number of products that have all expected attributes.' })
  complete!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Share of the expected values that exist, 0 to 100. Null if none is expected.',
  })
  percent!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Share of the required values that exist, 0 to 100. Null if none is required.',
  })
  requiredPercent!: number | null;
}

@ObjectType({ description: 'The completeness of the catalog at the end of a day, or now for today.' })
export class CompletenessDay {
  @Field(() => String, { description: 'UTC day as `YYYY-MM-DD`.' })
  day!: string;

  @Field(() => Int)
  products!: number;

  @Field(() => Float, { nullable: true, description: '0 to 100.' })
  percent!: number | null;

  @Field(() => Float, { nullable: true, description: '0 to 100.' })
  requiredPercent!: number | null;
}

@ObjectType({ description: 'Which of the expected attributes a product has.' })
export class ProductCompleteness {
  @Field(() => Float, {
    nullable: true,
    description: 'Share of the expected values that exist, 0 to 100. Null if none is expected.',
  })
  percent!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Share of the required values that exist, 0 to 100. Null if none is required.',
  })
  requiredPercent!: number | null;

  missingSlugs!: string[];
  missingRequiredSlugs!: string[];
}
