import { graphql } from '../graph/graph-hooks.ts';
import { type Column, defineKind, type Kind, type KindName } from './content-kind.ts';

graphql(`fragment AuthorFields on Author { id version updatedAt name slug bio avatarUrl }`);
export const authors = defineKind({
  fields: [
    { name: 'name', label: 'name', type: 'text', required: true, maxLength: 255 },
    { name: 'slug', label: 'slug', type: 'slug', required: true, maxLength: 128 },
    { name: 'bio', label: 'bio', type: 'lines', maxLength: 10_000 },
    { name: 'avatarUrl', label: 'avatarUrl', type: 'url', maxLength: 2048 },
  ],
  list: graphql(`
    query SiteAuthors($siteId: ID!, $page: Int!, $limit: Int!) {
      list: postAuthors(siteId: $siteId, page: $page, perPage: $limit) { nodes { ...AuthorFields } pagination: meta { total } }
    }
  `),
  read: graphql(`query SiteAuthor($siteId: ID!, $id: ID!) { record: postAuthor(siteId: $siteId, id: $id) { ...AuthorFields } }`),
  create: graphql(
    `mutation CreateAuthor($siteId: ID!, $input: NewAuthor!) { record: createPostAuthor(siteId: $siteId, input: $input) { id } }`,
  ),
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

graphql(`fragment CategoryFields on PostCategory { id version updatedAt name slug }`);
export const categories = defineKind({
  fields: [
    { name: 'name', label: 'name', type: 'text', required: true, maxLength: 255 },
    { name: 'slug', label: 'slug', type: 'slug', required: true, maxLength: 128 },
  ],
  list: graphql(`
    query SiteCategories($siteId: ID!, $page: Int!, $limit: Int!) {
      list: postCategories(siteId: $siteId, page: $page, perPage: $limit) { nodes { ...CategoryFields } pagination: meta { total } }
    }
  `),
  read: graphql(
    `query SiteCategory($siteId: ID!, $id: ID!) { record: postCategory(siteId: $siteId, id: $id) { ...CategoryFields } }`,
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

graphql(
  `fragment CollectionFields on Collection { id version updatedAt name slug fields { name label type required options collectionId } }`,
);
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
      list: collections(siteId: $siteId, page: $page, perPage: $limit) { nodes { ...CollectionFields } pagination: meta { total } }
    }
  `),
  read: graphql(
    `query SiteCollection($siteId: ID!, $id: ID!) { record: collection(siteId: $siteId, id: $id) { ...CollectionFields } }`,
  ),
  create: graphql(
    `mutation CreateCollection($siteId: ID!, $input: NewCollection!) { record: createCollection(siteId: $siteId, input: $input) { id } }`,
  ),
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

graphql(`fragment SiteFormFields on SiteForm { id version updatedAt name fields { name label type required options } }`);
const forms = defineKind({
  fields: [
    { name: 'name', label: 'name', type: 'text', required: true, maxLength: 255 },
    {
      name: 'fields',
      label: 'columns',
      type: 'columns',
      required: true,
      columnTypes: ['text', 'textarea', 'email', 'phone', 'number', 'date', 'checkbox', 'select'],
    },
  ],
  list: graphql(`
    query SiteForms($siteId: ID!, $page: Int!, $limit: Int!) {
      list: siteForms(siteId: $siteId, page: $page, perPage: $limit) { nodes { ...SiteFormFields } pagination: meta { total } }
    }
  `),
  read: graphql(`query SiteForm($siteId: ID!, $id: ID!) { record: siteForm(siteId: $siteId, id: $id) { ...SiteFormFields } }`),
  create: graphql(
    `mutation CreateSiteForm($siteId: ID!, $input: NewSiteForm!) { record: createSiteForm(siteId: $siteId, input: $input) { id } }`,
  ),
  change: graphql(`
    mutation ChangeSiteForm($id: ID!, $version: Int!, $input: SiteFormChange!) {
      record: updateSiteForm(id: $id, version: $version, input: $input) { id }
    }
  `),
  remove: graphql(`mutation RemoveSiteForm($id: ID!) { record: deleteSiteForm(id: $id) { id } }`),
  title: ({ name }) => name,
  address: ({ fields }) => fields.map(({ label }) => label).join(', '),
  valuesOf: ({ name, fields }) => ({
    name,
    fields: fields.map(({ name: key, label, type, required, options }) => ({ name: key, label, type, required, options })),
  }),
  inputOf: ({ fields, ...input }) => ({
    ...input,
    ...(fields !== undefined && { fields: (fields as Column[]).map((each) => ({ ...each, label: each.label || each.name })) }),
  }),
});

graphql(`fragment PublishedPage on Page { id version updatedAt status publishedAt publishAt }`);
graphql(`fragment PageFields on Page { ...PublishedPage title slug path content seo { title description } }`);
const pages = defineKind({
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
        nodes { ...PageFields } pagination: meta { total }
      }
    }
  `),
  read: graphql(`query SitePage($siteId: ID!, $id: ID!) { record: page(siteId: $siteId, id: $id) { ...PageFields } }`),
  create: graphql(
    `mutation CreateSitePage($siteId: ID!, $input: NewPage!) { record: createPage(siteId: $siteId, input: $input) { id } }`,
  ),
  change: graphql(`
    mutation ChangeSitePage($id: ID!, $version: Int!, $input: PageChange!) {
      record: updatePage(id: $id, version: $version, input: $input) { id }
    }
  `),
  remove: graphql(`mutation RemoveSitePage($id: ID!) { record: deletePage(id: $id) { id } }`),
  publish: graphql(`mutation PublishSitePage($id: ID!) { record: publishPage(id: $id) { ...PublishedPage } }`),
  unpublish: graphql(`mutation UnpublishSitePage($id: ID!) { record: unpublishPage(id: $id) { ...PublishedPage } }`),
  schedule: graphql(`
    mutation ScheduleSitePage($id: ID!, $publishAt: DateTime!) {
      record: schedulePage(id: $id, publishAt: $publishAt) { ...PublishedPage }
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

graphql(`fragment PublishedPost on Post { id version updatedAt status publishedAt publishAt }`);
graphql(
  `fragment PostFields on Post { ...PublishedPost title slug excerpt content coverImage author { id name } categories { id name } }`,
);
const posts = defineKind({
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
        nodes { ...PostFields }
        pagination: meta { total }
      }
    }
  `),
  read: graphql(`query SitePost($siteId: ID!, $id: ID!) { record: post(siteId: $siteId, id: $id) { ...PostFields } }`),
  create: graphql(
    `mutation CreateSitePost($siteId: ID!, $input: NewPost!) { record: createPost(siteId: $siteId, input: $input) { id } }`,
  ),
  change: graphql(`
    mutation ChangeSitePost($id: ID!, $version: Int!, $input: PostChange!) {
      record: updatePost(id: $id, version: $version, input: $input) { id }
    }
  `),
  remove: graphql(`mutation RemoveSitePost($id: ID!) { record: deletePost(id: $id) { id } }`),
  publish: graphql(`mutation PublishSitePost($id: ID!) { record: publishPost(id: $id) { ...PublishedPost } }`),
  unpublish: graphql(`mutation UnpublishSitePost($id: ID!) { record: unpublishPost(id: $id) { ...PublishedPost } }`),
  schedule: graphql(`
    mutation ScheduleSitePost($id: ID!, $publishAt: DateTime!) {
      record: schedulePost(id: $id, publishAt: $publishAt) { ...PublishedPost }
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

/** The kinds of records that belong to a site itself. Items belong to a collection. */
export const kinds: Record<Exclude<KindName, 'items'>, Kind> = { pages, posts, authors, categories, collections, forms };

export const isKind = (name: string | undefined): name is keyof typeof kinds => name !== undefined && Object.hasOwn(kinds, name);
