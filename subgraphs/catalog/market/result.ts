import { Field, Float, ID, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';

@ObjectType({ description: 'An offer of a shop or marketplace.' })
export class MarketResult {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'Name of the shop or marketplace.' })
  source!: string;

  @Field(() => Float, { description: 'Current price of one piece without shipping.' })
  price!: number;

  @Field(() => Float, { nullable: true, description: 'Price before the reduction, if the page states one.' })
  originalPrice!: number | null;

  @Field(() => String, { description: 'ISO 4217 code.' })
  currency!: string;

  @Field(() => wordTypes.Availability, { description: 'As the page states it.' })
  availability!: Word<'Availability'>;

  @Field(() => String, { description: 'URL of the page that states the price.' })
  link!: string;
}
