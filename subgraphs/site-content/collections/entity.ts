import { GraphQLJSONObject } from 'graphql-scalars';
import { ID, InputType, ObjectType } from 'type-graphql';
import { column, columns, hidden, Table } from '../../../platform/database/index.ts';
import { args, changeOf, field, input, list, shared } from '../../../platform/fields/index.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { CONTENT_SLUG, PublishableListArguments, PublishableRecord, SiteRecord, TITLE } from '../content/entity.ts';
import { ListOf } from '../site-list.ts';

@ObjectType({ description: 'One field of the items of a collection.' })
@InputType('CollectionFieldInput', { description: 'One field of the items of a collection.' })
export class CollectionField extends shared({
  name: field(String, {
    minLength: 1,
    maxLength: 64,
    pattern: /^[a-zA-Z][a-zA-Z0-9_]*$/,
    description: 'Key of the value in items, unique within the collection.',
  }),
  label: field(String, {
    maxLength: 255,
    optional: true,
    description: 'The label that people see. If null, they see the name.',
  }),
  type: field(enumTypes.CollectionFieldType, 'Cannot change once the field exists.'),
  required: field(Boolean, { defaultValue: false, description: 'An item without this value is rejected.' }),
  options: list(String, {
    maxItems: 100,
    minLength: 1,
    maxLength: 255,
    defaultValue: [],
    description: 'The accepted values of an `option` field.',
  }),
  collectionId: field(ID, {
    optional: true,
    description:
      'The collection that a reference leads to, in the same site; null for the collection itself. Cannot change once the field exists.',
  }),
}) {}

export const isReference = ({ type }: Pick<CollectionField, 'type'>): boolean => type === 'reference' || type === 'multi-reference';

/** Throws `INVALID_INPUT` for repeated names, `option` fields without options, and collections of fields that are no references. */
export function checkCollectionFields(fields: readonly CollectionField[]): void {
  const names = new Set<string>();
  for (const field of fields) {
    const { name, type, options, collectionId } = field;
    if (names.has(name)) throw fail('INVALID_INPUT', `fields must have different names; ${name} appears twice`);
    names.add(name);
    if (type === 'option' && options.length === 0)
      throw fail('INVALID_INPUT', `fields: ${name} is an option field and needs options`);
    if (collectionId && !isReference(field)) throw fail('INVALID_INPUT', `fields: ${name} has a collection but is not a reference`);
  }
}

@ObjectType({ description: 'A list of items with the same fields.' })
@Table('site_content.collections')
export class Collection extends columns(SiteRecord, {
  name: column('string', { length: 255 }),
  slug: column('string', { length: 128, description: 'Unique within the site.' }),
  fields: column([CollectionField], { type: 'json', assumedSize: 20 }),
  /** Types of former fields by name, for a reference with the id of its collection. Items may still have their values. */
  removed: hidden('json', { initial: {} }).as<Record<string, string>>(),
}) {}

@ObjectType({ description: 'An item of a collection. Readers see only published items; editors also see drafts.' })
@Table('site_content.items')
export class CollectionItem extends columns(PublishableRecord, {
  collectionId: column('uuid'),
  slug: column('string', { length: 128, description: 'Unique within the collection.' }),
  fields: column(GraphQLJSONObject, {
    type: 'json',
    description: 'The values by field name. A reference is the id of an item.',
  }).as<Record<string, unknown>>(),
  /** The items that the fields refer to. */
  refs: hidden('uuids'),
}) {}

const FIELDS = { minItems: 1, maxItems: 100 };

@InputType({ description: 'A collection to create.' })
export class NewCollection extends input({
  name: field(String, { ...TITLE }),
  slug: field(String, { ...CONTENT_SLUG, description: 'Unique within the site.' }),
  fields: list(CollectionField, { ...FIELDS }),
}) {}

@InputType({ description: 'Changes to a collection. Fields that are omitted or null stay unchanged.' })
export class CollectionChange extends changeOf(NewCollection, {
  descriptions: {
    fields:
      'All fields. A field keeps its type, and a reference its collection. Items no longer show the values of fields that are left out.',
  },
}) {}

@InputType({ description: 'An item to create as a draft.' })
export class NewItem extends input({
  slug: field(String, { ...CONTENT_SLUG, description: 'Unique within the collection.' }),
  fields: field(GraphQLJSONObject, 'The values by field name. Unknown names are rejected.').as<Record<string, unknown>>(),
}) {}

@InputType({ description: 'Changes to an item. Fields that are omitted or null stay unchanged.' })
export class ItemChange extends changeOf(NewItem, {
  descriptions: {
    slug: 'Unique within the collection. The former slug becomes a redirect.',
    fields: 'The values to change by field name; null removes a value.',
  },
}) {}

export class CollectionItemsArguments extends args(PublishableListArguments, {
  collectionId: field(ID),
}) {}

@ObjectType({ description: 'One page of collections.' })
export class CollectionList extends ListOf(Collection, 'CollectionList') {}

@ObjectType({ description: 'One page of items of a collection.' })
export class CollectionItemList extends ListOf(CollectionItem, 'CollectionItemList') {}
