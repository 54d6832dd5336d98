import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { JobItem } from '../jobs/item-entity.ts';

@InputType({ description: 'An analysis of the market: what shops ask for products.' })
export class NewProductMarketAnalysisJob {
  @Limited({ minItems: 1 })
  @Field(() => [ID], { description: 'Products of the organization; one named twice counts once.' })
  productIds!: string[];

  @Field(() => wordTypes.ModelType, { description: 'The second tier searches more and reads more marketplaces.' })
  modelType!: Word<'ModelType'>;
}

@ArgsType()
export class MarketAnalysisItemsArguments {
  @Field(() => ID)
  jobId!: string;

  @Limited({ min: 1, max: 100 })
  @Field(() => Int, { defaultValue: 50, description: 'Entries a page.' })
  limit!: number;

  @Limited({ min: 0 })
  @Field(() => Int, { defaultValue: 0, description: 'Entries that are passed over.' })
  offset!: number;
}

@ObjectType({ description: 'A part of the items of a job.' })
export class JobItemSlice {
  @Field(() => [JobItem])
  nodes!: JobItem[];
}
