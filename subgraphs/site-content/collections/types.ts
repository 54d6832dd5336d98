import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { changeOf, Limited } from '../../../platform/input/index.ts';
import { CONTENT_SLUG, PublishableListArguments, TITLE } from '../content/types.ts';
import { ListOf } from '../site-list.ts';
import { Collection, CollectionItem } from './entity.ts';
import { CollectionField } from './fields.ts';

const FIELDS = { minItems: 1, maxItems: 100 };

@InputType({ description: 'A collection to create.' })
export class NewCollection {
  @Limited(TITLE)
  @Field(() => String)
  name!: string;

  @Limited(CONTENT_SLUG)
  @Field(() => String, { description: 'Unique within the site.' })
  slug!: string;

  @Limited(FIELDS)
  @Field(() => [CollectionField])
  fields!: CollectionField[];
}

@InputType({ description: 'Changes to a collection. Fields that are omitted or null stay unchanged.' })
export class CollectionChange extends changeOf(NewCollection, {
  descriptions: {
    fields:
      'All fields. A field keeps its type, and a reference its collection. Items no longer show the values of fields that are left out.',
  },
}) {}

@InputType({ description: 'An item to create as a draft.' })
export class NewItem {
  @Limited(CONTENT_SLUG)
  @Field(() => String, { description: 'Unique within the collection.' })
  slug!: string;

  @Field(() => GraphQLJSONObject, { description: 'The values by field name. An unknown name is refused.' })
  fields!: Record<string, unknown>;
}

@InputType({ description: 'Changes to an item. Fields that are omitted or null stay unchanged.' })
export class ItemChange extends changeOf(NewItem, {
  descriptions: {
    slug: 'Unique within the collection. The former slug becomes a redirect.',
    fields: 'The values to change by field name; null removes a value.',
  },
}) {}

@ArgsType()
export class CollectionItemsArguments extends PublishableListArguments {
  @Field(() => ID)
  collectionId!: string;
}

@ObjectType({ description: 'One page of collections.' })
export class CollectionList extends ListOf(Collection, 'CollectionList') {}

@ObjectType({ description: 'One page of items of a collection.' })
export class CollectionItemList extends ListOf(CollectionItem, 'CollectionItemList') {}
