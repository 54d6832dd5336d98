import { graphql } from '../../graph/graphql.ts';
import { type Column, defineKind } from '../kind.ts';

export const collections = defineKind({
  fields: [
    { name: 'name', label: 'name', type: 'text', required: true, maxLength: 255 },
    { name: 'slug', label: 'slug', type: 'slug', required: true, maxLength: 128 },
    {
      name: 'fields',
      label: 'columns',
      type: 'columns',
      required: true,
      columnTypes: ['text', 'rich-text', 'number', 'boolean', 'date', 'option', 'image', 'reference', 'multi-reference'],
    },
  ],
  list: graphql(`
    query SiteCollections($siteId: ID!, $page: Int!, $limit: Int!) {
      list: collections(siteId: $siteId, page: $page, perPage: $limit) {
        nodes { id version updatedAt name slug fields { name label type required options collectionId } } pagination: meta { total }
      }
    }
  `),
  read: graphql(`
    query SiteCollection($siteId: ID!, $id: ID!) {
      record: collection(siteId: $siteId, id: $id) { id version updatedAt name slug fields { name label type required options collectionId } }
    }
  `),
  create: graphql(`
    mutation CreateCollection($siteId: ID!, $input: NewCollection!) { record: createCollection(siteId: $siteId, input: $input) { id } }
  `),
  change: graphql(`
    mutation ChangeCollection($id: ID!, $version: Int!, $input: CollectionChange!) {
      record: updateCollection(id: $id, version: $version, input: $input) { id }
    }
  `),
  remove: graphql(`mutation RemoveCollection($id: ID!) { record: deleteCollection(id: $id) { id } }`),
  title: ({ name }) => name,
  address: ({ fields }) => fields.map(({ label, name }) => label ?? name).join(', '),
  valuesOf: ({ name, slug, fields }) => ({
    name,
    slug,
    fields: fields.map(({ name: key, label, type, required, options, collectionId }) => ({
      name: key,
      label,
      type,
      required,
      options,
      collectionId,
    })),
  }),
  inputOf: ({ fields, ...input }) => ({
    ...input,
    ...(fields !== undefined && { fields: (fields as Column[]).map((each) => ({ ...each, label: each.label || null })) }),
  }),
});
