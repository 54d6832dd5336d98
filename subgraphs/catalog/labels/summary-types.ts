import { ArgsType, Field, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { LabelSummary } from './summary-entity.ts';

@ObjectType({ description: 'A brand that products name or that was created, with its number of products.' })
export class BrandSummary extends LabelSummary {}

@ObjectType({ description: 'A category that products name or that was created, with its number of products.' })
export class CategorySummary extends LabelSummary {}

@ObjectType({ description: 'One page of brands.' })
export class BrandSummaryPage extends PageOf(BrandSummary, 'BrandSummaryPage') {}

@ObjectType({ description: 'One page of categories.' })
export class CategorySummaryPage extends PageOf(CategorySummary, 'CategorySummaryPage') {}

@ArgsType()
export class LabelsArguments extends pageArguments(20) {
  @Limited({ maxLength: 256 })
  @Field(() => String, { defaultValue: '', description: 'Part of the name, ignoring case.' })
  search!: string;

  @Field(() => Boolean, { nullable: true, description: 'Only those that were created, or only those that products merely name.' })
  created?: boolean | null;

  @Field(() => enumTypes.LabelSort, { defaultValue: 'name' })
  sortBy!: EnumValue<'LabelSort'>;

  @Field(() => enumTypes.SortOrder, { defaultValue: 'asc' })
  sortOrder!: EnumValue<'SortOrder'>;
}
