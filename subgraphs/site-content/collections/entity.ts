import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { FieldProperty } from '../../../platform/database/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { PublishableRecord, SiteRecord } from '../content/entity.ts';
import { CollectionField } from './fields.ts';

@ObjectType({ description: 'A list of items with the same fields.' })
@Entity({ schema: 'site_content', tableName: 'collections' })
export class Collection extends SiteRecord {
  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty({ type: 'string', length: 128, description: 'Unique within the site.' })
  slug!: string;

  @ListSize(20)
  @FieldProperty(() => [CollectionField], { type: 'json' })
  fields!: CollectionField[];

  /** Types of former fields by name, for a reference with the id of its collection. Items may still have their values. */
  @Property({ type: 'json' })
  removed: Opt<Record<string, string>> = {};
}

@ObjectType({ description: 'An item of a collection. Readers see only published items; editors also see drafts.' })
@Entity({ schema: 'site_content', tableName: 'items' })
export class CollectionItem extends PublishableRecord {
  @FieldProperty({ type: 'uuid' })
  collectionId!: string;

  @FieldProperty({ type: 'string', length: 128, description: 'Unique within the collection.' })
  slug!: string;

  @FieldProperty(() => GraphQLJSONObject, {
    type: 'json',
    description: 'The values by field name. A reference is the id of an item.',
  })
  fields!: Record<string, unknown>;

  /** The items that the fields refer to. */
  @Property({ type: 'array', columnType: 'uuid[]' })
  refs!: string[];
}
