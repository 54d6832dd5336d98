import { Field, Float, ID, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';

@ObjectType({ description: 'What a shop or marketplace asks for a product.' })
export class MarketResult {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'The name of the marketplace.' })
  source!: string;

  @Field(() => Float, { description: 'For one piece, now, without shipping, as the page states it.' })
  price!: number;

  @Field(() => Float, { nullable: true, description: 'What it was reduced from, where the page says so.' })
  originalPrice!: number | null;

  @Field(() => String, { description: 'ISO 4217.' })
  currency!: string;

  @Field(() => wordTypes.Availability, { description: 'As the page states it.' })
  availability!: Word<'Availability'>;

  @Field(() => String, { description: 'The page that the price stands on.' })
  link!: string;
}
