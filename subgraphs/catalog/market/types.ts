import { ID, InputType, Int, ObjectType } from 'type-graphql';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { JobItem } from '../jobs/entity.ts';

@InputType({ description: 'A job that finds the prices that shops and marketplaces ask for products.' })
export class NewProductMarketAnalysisJob extends input({
  productIds: list(ID, { minItems: 1, description: 'Any number of products of the organization. Duplicates are ignored.' }),
  modelType: field(enumTypes.ModelType, '`pro-v1` searches more and reads more pages.'),
}) {}

export class MarketAnalysisItemsArguments extends args({
  jobId: field(ID),
  limit: field(Int, { min: 1, max: 100, defaultValue: 50, description: 'Maximum number of items to return.' }),
  offset: field(Int, { min: 0, defaultValue: 0, description: 'Number of items to skip.' }),
}) {}

@ObjectType({ description: 'Consecutive items of a job.' })
export class JobItemSlice extends output({
  nodes: list(JobItem),
}) {}
