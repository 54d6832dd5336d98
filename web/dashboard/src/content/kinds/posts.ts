import { graphql } from '../../graph/graphql.ts';
import { defineKind } from '../kind.ts';

export const posts = defineKind({
  fields: [
    { name: 'title', label: 'title', type: 'text', required: true, maxLength: 255 },
    { name: 'slug', label: 'slug', type: 'slug', required: true, maxLength: 128 },
    { name: 'excerpt', label: 'excerpt', type: 'lines', maxLength: 2000 },
    { name: 'content', label: 'content', type: 'html', maxLength: 1_000_000 },
    { name: 'authorId', label: 'author', type: 'record', of: 'authors' },
    { name: 'categoryIds', label: 'categories', type: 'records', of: 'categories' },
    { name: 'coverImage', label: 'coverImage', type: 'url', maxLength: 2048 },
  ],
  list: graphql(`
    query SitePosts($siteId: ID!, $status: PublicationFilter!, $page: Int!, $limit: Int!) {
      list: posts(siteId: $siteId, status: $status, page: $page, perPage: $limit) {
        nodes {
          id version updatedAt status publishedAt publishAt title slug excerpt content coverImage author { id name } categories { id name }
        }
        pagination: meta { total }
      }
    }
  `),
  read: graphql(`
    query SitePost($siteId: ID!, $id: ID!) {
      record: post(siteId: $siteId, id: $id) {
        id version updatedAt status publishedAt publishAt title slug excerpt content coverImage author { id name } categories { id name }
      }
    }
  `),
  create: graphql(
    `mutation CreateSitePost($siteId: ID!, $input: NewPost!) { record: createPost(siteId: $siteId, input: $input) { id } }`,
  ),
  change: graphql(`
    mutation ChangeSitePost($id: ID!, $version: Int!, $input: PostChange!) {
      record: updatePost(id: $id, version: $version, input: $input) { id }
    }
  `),
  remove: graphql(`mutation RemoveSitePost($id: ID!) { record: deletePost(id: $id) { id } }`),
  publish: graphql(`
    mutation PublishSitePost($id: ID!) { record: publishPost(id: $id) { id version updatedAt status publishedAt publishAt } }
  `),
  unpublish: graphql(`
    mutation UnpublishSitePost($id: ID!) { record: unpublishPost(id: $id) { id version updatedAt status publishedAt publishAt } }
  `),
  schedule: graphql(`
    mutation ScheduleSitePost($id: ID!, $publishAt: DateTime!) {
      record: schedulePost(id: $id, publishAt: $publishAt) { id version updatedAt status publishedAt publishAt }
    }
  `),
  title: ({ title }) => title,
  address: ({ slug, author }) => [slug, author?.name].filter(Boolean).join(' · '),
  valuesOf: ({ title, slug, excerpt, content, coverImage, author, categories }) => ({
    title,
    slug,
    excerpt,
    content,
    authorId: author?.id ?? null,
    categoryIds: categories.map(({ id }) => id),
    coverImage: coverImage ?? '',
  }),
});
