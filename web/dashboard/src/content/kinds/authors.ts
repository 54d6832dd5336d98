import { graphql } from '../../graph/graphql.ts';
import { defineKind } from '../kind.ts';

export const authors = defineKind({
  fields: [
    { name: 'name', label: 'name', type: 'text', required: true, maxLength: 255 },
    { name: 'slug', label: 'slug', type: 'slug', required: true, maxLength: 128 },
    { name: 'bio', label: 'bio', type: 'lines', maxLength: 10_000 },
    { name: 'avatarUrl', label: 'avatarUrl', type: 'url', maxLength: 2048 },
  ],
  list: graphql(`
    query SiteAuthors($siteId: ID!, $page: Int!, $limit: Int!) {
      list: postAuthors(siteId: $siteId, page: $page, perPage: $limit) {
        nodes { id version updatedAt name slug bio avatarUrl } pagination: meta { total }
      }
    }
  `),
  read: graphql(
    `query SiteAuthor($siteId: ID!, $id: ID!) { record: postAuthor(siteId: $siteId, id: $id) { id version updatedAt name slug bio avatarUrl } }`,
  ),
  create: graphql(`
    mutation CreateAuthor($siteId: ID!, $input: NewAuthor!) { record: createPostAuthor(siteId: $siteId, input: $input) { id } }
  `),
  change: graphql(`
    mutation ChangeAuthor($id: ID!, $version: Int!, $input: AuthorChange!) {
      record: updatePostAuthor(id: $id, version: $version, input: $input) { id }
    }
  `),
  remove: graphql(`mutation RemoveAuthor($id: ID!) { record: deletePostAuthor(id: $id) { id } }`),
  title: ({ name }) => name,
  address: ({ slug }) => slug,
  valuesOf: ({ name, slug, bio, avatarUrl }) => ({ name, slug, bio: bio ?? '', avatarUrl: avatarUrl ?? '' }),
});
