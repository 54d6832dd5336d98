import { Int, ObjectType } from 'type-graphql';
import { column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { field, list, output } from '../../../platform/fields/index.ts';
import type { LabelSubject } from './subjects.ts';

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
