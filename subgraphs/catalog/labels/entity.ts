import { ID, Int, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table, Tenant } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

export type LabelSubject = 'brand' | 'category';

/** Base of brands and categories: a name that products carry as text. */
@ObjectType()
@Table()
export abstract class Label extends columns(Owned, {
  name: column('text', 'Unique within the organization, ignoring case.'),
  slug: column('text', 'Unique within the organization.'),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'A brand. A product belongs to it if its `brand` equals the name, ignoring case.' })
@Table('catalog.brands')
export class Brand extends Label {}

@ObjectType({ description: 'A product category. A product belongs to it if its `category` equals the name, ignoring case.' })
@Table('catalog.categories')
export class Category extends Label {}

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

/** A rename or merge whose products do not all have the new name yet. */
@ObjectType({ description: 'A rename or merge of a brand or category that has not reached all of its products yet.' })
@Table('catalog.label_moves')
export class LabelMove extends columns(Owned, {
  subject: hidden('text').as<LabelSubject>(),
  fromKey: hidden('uuid'),
  fromName: column('text', 'The former name.'),
  toKey: hidden('uuid'),
  toName: column('text', 'The new name.'),
  levels: hidden('integer'),
  isMerge: column('boolean', 'Whether a brand or category of the new name existed before.'),
  total: column('count', 'Number of products with the former name at the start.'),
  moved: column('count', 'Number of these products that have the new name.'),
  /** The number of the next page, so that a message that is delivered again does nothing. */
  page: hidden('integer'),
}) {}

@ObjectType({ description: 'The effect that a merge of two brands or categories would have.' })
export class MergePreview extends output({
  fromName: field(String),
  intoName: field(String),
  products: field(Int, 'Products that get the other name.'),
  categories: field(Int, 'Categories below the merged one, which move with it.'),
  enrichments: field(Int, 'Enrichments that move to the history of the other one.'),
  slug: field(String, { nullable: true, description: 'The slug that becomes free.' }),
  values: list(String, 'Slugs of values that people entered and that move, because the other one has none.'),
}) {}
