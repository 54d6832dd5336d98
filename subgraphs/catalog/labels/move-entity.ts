import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Int, ObjectType } from 'type-graphql';
import { FieldProperty, Owned } from '../../../platform/database/index.ts';
import { field, list, output } from '../../../platform/fields/index.ts';
import type { LabelSubject } from './subjects.ts';

/** A rename or merge whose products do not all have the new name yet. */
@ObjectType({ description: 'A rename or merge of a brand or category that has not reached all of its products yet.' })
@Entity({ schema: 'catalog', tableName: 'label_moves' })
export class LabelMove extends Owned {
  @Property({ type: 'text' })
  subject!: LabelSubject;

  @Property({ type: 'uuid' })
  fromKey!: string;

  @FieldProperty({ type: 'text', description: 'The former name.' })
  fromName!: string;

  @Property({ type: 'uuid' })
  toKey!: string;

  @FieldProperty({ type: 'text', description: 'The new name.' })
  toName!: string;

  @Property({ type: 'integer' })
  levels!: number;

  @FieldProperty({ type: 'boolean', description: 'Whether a brand or category of the new name existed before.' })
  isMerge!: boolean;

  @FieldProperty({ type: 'bigint', runtimeType: 'number', description: 'Number of products with the former name at the start.' })
  total!: number;

  @FieldProperty({ type: 'bigint', runtimeType: 'number', description: 'Number of these products that have the new name.' })
  moved!: number;

  /** The number of the next page, so that a message that is delivered again does nothing. */
  @Property({ type: 'integer' })
  page!: number;
}

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
