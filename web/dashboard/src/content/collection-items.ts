import type { SiteCollectionQuery } from '../../.graph/graphql.ts';
import { graphql } from '../graph/graph-hooks.ts';
import { defineKind, type Field, type FieldType, isEmpty, type Kind, type Values } from './content-kind.ts';

type Columns = SiteCollectionQuery['record']['fields'];

graphql(`fragment PublishedItem on CollectionItem { id version updatedAt status publishedAt publishAt }`);
graphql(`fragment ItemFields on CollectionItem { ...PublishedItem slug fields }`);
const list = graphql(`
  query CollectionItems($siteId: ID!, $collectionId: ID!, $status: PublicationFilter!, $page: Int!, $limit: Int!) {
    list: collectionItems(siteId: $siteId, collectionId: $collectionId, status: $status, page: $page, perPage: $limit) {
      nodes { ...ItemFields } pagination: meta { total }
    }
  }
`);
const read = graphql(`
  query CollectionItem($siteId: ID!, $collectionId: ID!, $id: ID!) {
    record: collectionItem(siteId: $siteId, collectionId: $collectionId, id: $id) { ...ItemFields }
  }
`);
const create = graphql(`
  mutation CreateItem($collectionId: ID!, $input: NewItem!) { record: createCollectionItem(collectionId: $collectionId, input: $input) { id } }
`);
const change = graphql(`
  mutation ChangeItem($id: ID!, $version: Int!, $input: ItemChange!) {
    record: updateCollectionItem(id: $id, version: $version, input: $input) { id }
  }
`);
const remove = graphql(`mutation RemoveItem($id: ID!) { record: deleteCollectionItem(id: $id) { id } }`);
const publish = graphql(`mutation PublishItem($id: ID!) { record: publishCollectionItem(id: $id) { ...PublishedItem } }`);
const unpublish = graphql(`mutation UnpublishItem($id: ID!) { record: unpublishCollectionItem(id: $id) { ...PublishedItem } }`);
const schedule = graphql(`
  mutation ScheduleItem($id: ID!, $publishAt: DateTime!) {
    record: scheduleCollectionItem(id: $id, publishAt: $publishAt) { ...PublishedItem }
  }
`);

const types: Record<Columns[number]['type'], FieldType> = {
  text: 'lines',
  'rich-text': 'html',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  option: 'option',
  image: 'url',
  reference: 'record',
  'multi-reference': 'records',
};
/** Prefix that keeps the names of columns apart from the slug of the item. It has no dot, because forms read a dot as a path. */
const PREFIX = 'field:';

/** The items of a collection, whose columns are the fields of the editor. */
export function itemsOf(collectionId: string, columns: Columns): Kind {
  const toField = ({ name, label, type, required, options, collectionId: of }: Columns[number]): Field => ({
    name: PREFIX + name,
    label: label ?? name,
    type: types[type],
    required,
    options,
    of: 'items',
    collectionId: of ?? collectionId,
  });
  const [first] = columns;
  return defineKind({
    fields: [{ name: 'slug', label: 'slug', type: 'slug', required: true, maxLength: 128 }, ...columns.map(toField)],
    list,
    read,
    create,
    change,
    remove,
    publish,
    unpublish,
    schedule,
    title: ({ slug, fields }) => (first && typeof fields[first.name] === 'string' ? (fields[first.name] as string) : slug),
    address: ({ slug }) => slug,
    valuesOf: ({ slug, fields }) => ({
      slug,
      ...Object.fromEntries(columns.map(({ name, type }) => [PREFIX + name, fields[name] ?? emptyOf(type)])),
    }),
    inputOf({ slug, ...values }) {
      const changed = Object.entries(values).map(([name, value]) => [name.slice(PREFIX.length), isEmpty(value) ? null : value]);
      return { ...(slug !== undefined && { slug }), fields: Object.fromEntries(changed) as Values };
    },
  });
}

const emptyOf = (type: Columns[number]['type']) => (type === 'boolean' ? false : type === 'multi-reference' ? [] : '');
