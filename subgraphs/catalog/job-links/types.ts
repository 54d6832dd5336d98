import { ArgsType, Field } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { pageArguments } from '../../../platform/lists/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';

@ArgsType()
export class ItemsOfJobArguments extends pageArguments(20) {
  @Field(() => wordTypes.JobItemStatus, { nullable: true })
  status?: Word<'JobItemStatus'> | null;

  @Limited({ maxLength: 256 })
  @Field(() => String, {
    defaultValue: '',
    description: 'Part of the name or SKU of the product, or of the name of the brand or category, ignoring case.',
  })
  search!: string;

  @Field(() => wordTypes.JobItemSort, { defaultValue: 'ordinal' })
  sortBy!: Word<'JobItemSort'>;

  @Field(() => wordTypes.SortOrder, { defaultValue: 'asc' })
  sortOrder!: Word<'SortOrder'>;
}

@ArgsType()
export class LatestArguments extends pageArguments(10) {}
