import { graphql } from '../../graph/graphql.ts';
import { defineKind } from '../kind.ts';

export const categories = defineKind({
  fields: [
    { name: 'name', label: 'name', type: 'text', required: true, maxLength: 255 },
    { name: 'slug', label: 'slug', type: 'slug', required: true, maxLength: 128 },
  ],
  list: graphql(`
    query SiteCategories($siteId: ID!, $page: Int!, $limit: Int!) {
      list: postCategories(siteId: $siteId, page: $page, perPage: $limit) {
        nodes { id version updatedAt name slug } pagination: meta { total }
      }
    }
  `),
  read: graphql(
    `query SiteCategory($siteId: ID!, $id: ID!) { record: postCategory(siteId: $siteId, id: $id) { id version updatedAt name slug } }`,
  ),
  create: graphql(`
    mutation CreateSiteCategory($siteId: ID!, $input: NewPostCategory!) { record: createPostCategory(siteId: $siteId, input: $input) { id } }
  `),
  change: graphql(`
    mutation ChangeSiteCategory($id: ID!, $version: Int!, $input: PostCategoryChange!) {
      record: updatePostCategory(id: $id, version: $version, input: $input) { id }
    }
  `),
  remove: graphql(`mutation RemoveSiteCategory($id: ID!) { record: deletePostCategory(id: $id) { id } }`),
  title: ({ name }) => name,
  address: ({ slug }) => slug,
  valuesOf: ({ name, slug }) => ({ name, slug }),
});
