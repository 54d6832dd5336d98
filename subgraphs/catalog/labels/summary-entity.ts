import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { FieldProperty, Tenant } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { LabelSubject } from './subjects.ts';

/** A name that products carry, that was created, or that is above such a category. Triggers maintain the rows. */
@ObjectType()
@Entity({ schema: 'catalog', tableName: 'labels' })
@Tenant()
export class LabelSummary {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'text' })
  subject!: LabelSubject;

  @Field(() => ID, { name: 'id', description: 'Derived from the name. Not the id of the record.' })
  @PrimaryKey({ type: 'uuid' })
  key!: string;

  @FieldProperty({ type: 'text', description: 'The spelling of the created record, or else of the first product.' })
  name!: string;

  @FieldProperty({ type: 'bigint', runtimeType: 'number', description: 'Number of products with this name.' })
  productCount!: number;

  @FieldProperty({ type: 'bigint', runtimeType: 'number', description: 'Number of these products that a job has enriched.' })
  enrichedCount!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  totalCount!: number;

  @Property({ type: 'uuid', nullable: true })
  parentKey: string | null = null;

  @Property({ type: 'uuid', nullable: true })
  recordId: string | null = null;
}

@ObjectType({ description: 'A brand that products name or that was created, with its number of products.' })
export class BrandSummary extends LabelSummary {}

@ObjectType({
  description:
    'A category that products name or that was created, with its number of products. The name is a path: `Furniture > Chairs` is below `Furniture`, which exists too.',
})
export class CategorySummary extends LabelSummary {
  @Field(() => Int, { description: 'Number of products of this category and of those below it.' })
  declare totalCount: number;
}

@ObjectType({ description: 'One page of brands.' })
export class BrandSummaryPage extends PageOf(BrandSummary, 'BrandSummaryPage') {}

@ObjectType({ description: 'One page of categories.' })
export class CategorySummaryPage extends PageOf(CategorySummary, 'CategorySummaryPage') {}

@ArgsType()
export class LabelsArguments extends pageArguments(20) {
  @Limited({ maxLength: 256 })
  @Field(() => String, { defaultValue: '', description: 'Part of the name, ignoring case.' })
  search!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: only those that were created. False: only those that exist because products name them.',
  })
  created?: boolean | null;

  @Field(() => enumTypes.LabelSort, { defaultValue: 'name' })
  sortBy!: EnumValue<'LabelSort'>;

  @Field(() => enumTypes.SortOrder, { defaultValue: 'asc' })
  sortOrder!: EnumValue<'SortOrder'>;
}

@ArgsType()
export class CategoriesArguments extends LabelsArguments {
  @Field(() => ID, { nullable: true, description: 'Only the categories directly below this one.' })
  parentId?: string | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Only the categories that are below no other.' })
  isTop!: boolean;
}
