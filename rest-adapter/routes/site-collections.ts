import { table } from '../route.ts';
import { siteContent } from '../surfaces.ts';
import { draftErrors, LIST, listErrors, listed, NODES, PAGE } from './site.ts';

const siteId = '0199a000-0000-7000-8000-000000000002';
const collectionId = '0199a000-0000-7000-8000-000000000006';
const itemId = '0199a000-0000-7000-8000-000000000007';
const postId = '0199a000-0000-7000-8000-000000000008';
const COLLECTION = 'id siteId name slug fields { name label type required options collectionId }';
const ITEM = 'id collectionId slug status fields publishedAt createdAt updatedAt';
const AUTHOR = 'id name slug bio avatarUrl';
const CATEGORY = 'id name slug';
const POST = `id title slug excerpt content status author { ${AUTHOR} } categories { ${CATEGORY} } coverImage publishedAt createdAt updatedAt`;

export const siteCollections = table(siteContent, {
  'GET /sites/:siteId/collections': {
    summary: 'List the collections of a site, by name',
    graphql: `query ($siteId: ID!, ${PAGE}) { collections(siteId: $siteId, ${NODES}) { data: nodes { ${COLLECTION} } ${LIST} } }`,
    ...listed,
    example: { params: { siteId }, query: { page: '1' } },
    errors: listErrors,
  },
  'GET /sites/:siteId/collections/:collectionId': {
    summary: 'Read a collection',
    graphql: `query ($siteId: ID!, $collectionId: ID!) { collection(siteId: $siteId, id: $collectionId) { ${COLLECTION} } }`,
    example: { params: { siteId, collectionId } },
    errors: { NOT_FOUND: 'Collection not found' },
  },
  'GET /sites/:siteId/collections/:collectionId/items': {
    summary: 'List the published items of a collection, newest first',
    description: 'Keys of owners and admins can include drafts with `status=all`.',
    graphql: `query ($siteId: ID!, $collectionId: ID!, ${PAGE}, $status: PublicationFilter = published) {
      collectionItems(siteId: $siteId, collectionId: $collectionId, status: $status, ${NODES}) { data: nodes { ${ITEM} } ${LIST} }
    }`,
    ...listed,
    example: { params: { siteId, collectionId }, query: { page: '1' } },
    errors: { ...draftErrors, NOT_FOUND: 'Collection not found' },
  },
  'GET /sites/:siteId/collections/:collectionId/items/:itemId': {
    summary: 'Read an item of a collection',
    graphql: `query ($siteId: ID!, $collectionId: ID!, $itemId: ID!) {
      collectionItem(siteId: $siteId, collectionId: $collectionId, id: $itemId) { ${ITEM} }
    }`,
    example: { params: { siteId, collectionId, itemId } },
    errors: { NOT_FOUND: 'Item not found' },
  },
});

export const siteBlog = table(siteContent, {
  'GET /sites/:siteId/blog/posts': {
    summary: 'List the published posts of a site, newest first',
    description: 'Keys of owners and admins can include drafts with `status=all`.',
    graphql: `query ($siteId: ID!, ${PAGE}, $status: PublicationFilter = published) {
      posts(siteId: $siteId, status: $status, ${NODES}) { data: nodes { ${POST} } ${LIST} }
    }`,
    ...listed,
    example: { params: { siteId }, query: { page: '1' } },
    errors: draftErrors,
  },
  'GET /sites/:siteId/blog/posts/:postId': {
    summary: 'Read a post',
    graphql: `query ($siteId: ID!, $postId: ID!) { post(siteId: $siteId, id: $postId) { ${POST} } }`,
    example: { params: { siteId, postId } },
    errors: { NOT_FOUND: 'Post not found' },
  },
  'GET /sites/:siteId/blog/authors': {
    summary: 'List the authors of posts of a site, by name',
    graphql: `query ($siteId: ID!, ${PAGE}) { postAuthors(siteId: $siteId, ${NODES}) { data: nodes { ${AUTHOR} } ${LIST} } }`,
    ...listed,
    example: { params: { siteId }, query: { page: '1' } },
    errors: listErrors,
  },
  'GET /sites/:siteId/blog/categories': {
    summary: 'List the categories of posts of a site, by name',
    graphql: `query ($siteId: ID!, ${PAGE}) { postCategories(siteId: $siteId, ${NODES}) { data: nodes { ${CATEGORY} } ${LIST} } }`,
    ...listed,
    example: { params: { siteId }, query: { page: '1' } },
    errors: listErrors,
  },
});
