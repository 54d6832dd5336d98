import { ID, Int, ObjectType } from 'type-graphql';
import { column, columns, hidden, Table, Tenant } from '../../../platform/database/index.ts';
import { args, field, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { LabelSubject } from './subjects.ts';

/** A name that products carry, that was created, or that is above such a category. Triggers maintain the rows. */
@ObjectType()
@Table('catalog.labels')
@Tenant()
export class LabelSummary extends columns({
  organizationId: hidden('uuid', { primary: true }),
  subject: hidden('text', { primary: true }).as<LabelSubject>(),
  key: column('uuid', { primary: true, exposedAs: 'id', description: 'Derived from the name. Not the id of the record.' }),
  name: column('text', 'The spelling of the created record, or else of the first product.'),
  productCount: column('count', 'Number of products with this name.'),
  enrichedCount: column('count', 'Number of these products that a job has enriched.'),
  totalCount: hidden('count'),
  parentKey: hidden('uuid', { nullable: true }),
  recordId: hidden('uuid', { nullable: true }),
}) {}

@ObjectType({ description: 'A brand that products name or that was created, with its number of products.' })
export class BrandSummary extends LabelSummary {}

@ObjectType({
  description:
    'A category that products name or that was created, with its number of products. The name is a path: `Furniture > Chairs` is below `Furniture`, which exists too.',
})
export class CategorySummary extends output(LabelSummary, {
  totalCount: field(Int, 'Number of products of this category and of those below it.'),
}) {}

@ObjectType({ description: 'One page of brands.' })
export class BrandSummaryPage extends PageOf(BrandSummary, 'BrandSummaryPage') {}

@ObjectType({ description: 'One page of categories.' })
export class CategorySummaryPage extends PageOf(CategorySummary, 'CategorySummaryPage') {}

export class LabelsArguments extends args(pageArguments(20), {
  search: field(String, { maxLength: 256, defaultValue: '', description: 'Part of the name, ignoring case.' }),
  created: field(Boolean, {
    nullable: true,
    description: 'True: only those that were created. False: only those that exist because products name them.',
  }),
  sortBy: field(enumTypes.LabelSort, { defaultValue: 'name' }),
  sortOrder: field(enumTypes.SortOrder, { defaultValue: 'asc' }),
}) {}

export class CategoriesArguments extends args(LabelsArguments, {
  parentId: field(ID, { nullable: true, description: 'Only the categories directly below this one.' }),
  isTop: field(Boolean, { defaultValue: false, description: 'Only the categories that are below no other.' }),
}) {}
