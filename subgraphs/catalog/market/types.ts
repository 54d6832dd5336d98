import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { JobItem } from '../jobs/entity.ts';

@InputType({ description: 'A job that finds the prices that shops and marketplaces ask for products.' })
export class NewProductMarketAnalysisJob {
  @Limited({ minItems: 1 })
  @Field(() => [ID], { description: 'Any number of products of the organization. Duplicates are ignored.' })
  productIds!: string[];

  @Field(() => enumTypes.ModelType, { description: '`pro-v1` searches more and reads more pages.' })
  modelType!: EnumValue<'ModelType'>;
}

@ArgsType()
export class MarketAnalysisItemsArguments {
  @Field(() => ID)
  jobId!: string;

  @Limited({ min: 1, max: 100 })
  @Field(() => Int, { defaultValue: 50, description: 'Maximum number of items to return.' })
  limit!: number;

  @Limited({ min: 0 })
  @Field(() => Int, { defaultValue: 0, description: 'Number of items to skip.' })
  offset!: number;
}

@ObjectType({ description: 'Consecutive items of a job.' })
export class JobItemSlice {
  @Field(() => [JobItem])
  nodes!: JobItem[];
}
