import { graphql } from '../../graph/graphql.ts';
import { defineKind } from '../kind.ts';

export const pages = defineKind({
  fields: [
    { name: 'title', label: 'title', type: 'text', required: true, maxLength: 255 },
    { name: 'slug', label: 'slug', type: 'slug', required: true, maxLength: 128 },
    { name: 'path', label: 'path', type: 'path', maxLength: 1024, derived: true },
    { name: 'content', label: 'content', type: 'html', maxLength: 1_000_000 },
    { name: 'seoTitle', label: 'seoTitle', type: 'text', maxLength: 255 },
    { name: 'seoDescription', label: 'seoDescription', type: 'lines', maxLength: 1000 },
  ],
  list: graphql(`
    query SitePages($siteId: ID!, $status: PublicationFilter!, $page: Int!, $limit: Int!) {
      list: pages(siteId: $siteId, status: $status, page: $page, perPage: $limit) {
        nodes { id version updatedAt status publishedAt publishAt title slug path content seo { title description } } pagination: meta { total }
      }
    }
  `),
  read: graphql(`
    query SitePage($siteId: ID!, $id: ID!) {
      record: page(siteId: $siteId, id: $id) {
        id version updatedAt status publishedAt publishAt title slug path content seo { title description }
      }
    }
  `),
  create: graphql(
    `mutation CreateSitePage($siteId: ID!, $input: NewPage!) { record: createPage(siteId: $siteId, input: $input) { id } }`,
  ),
  change: graphql(`
    mutation ChangeSitePage($id: ID!, $version: Int!, $input: PageChange!) {
      record: updatePage(id: $id, version: $version, input: $input) { id }
    }
  `),
  remove: graphql(`mutation RemoveSitePage($id: ID!) { record: deletePage(id: $id) { id } }`),
  publish: graphql(`
    mutation PublishSitePage($id: ID!) { record: publishPage(id: $id) { id version updatedAt status publishedAt publishAt } }
  `),
  unpublish: graphql(`
    mutation UnpublishSitePage($id: ID!) { record: unpublishPage(id: $id) { id version updatedAt status publishedAt publishAt } }
  `),
  schedule: graphql(`
    mutation ScheduleSitePage($id: ID!, $publishAt: DateTime!) {
      record: schedulePage(id: $id, publishAt: $publishAt) { id version updatedAt status publishedAt publishAt }
    }
  `),
  title: ({ title }) => title,
  address: ({ path }) => path,
  valuesOf: ({ title, slug, path, content, seo }) => ({
    title,
    slug,
    path,
    content,
    seoTitle: seo.title ?? '',
    seoDescription: seo.description ?? '',
  }),
  inputOf({ seoTitle, seoDescription, ...input }, record) {
    if (seoTitle === undefined && seoDescription === undefined) return input;
    return {
      ...input,
      seo: { title: seoTitle ?? record?.seo.title ?? null, description: seoDescription ?? record?.seo.description ?? null },
    };
  },
});
