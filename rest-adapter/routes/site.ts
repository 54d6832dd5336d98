import { table } from '../route.ts';
import { siteContent } from '../surfaces.ts';

/** The parts that all lists of site content share: variables, fields, envelope and errors. */
const PAGE = '$page: Int = 1, $perPage: Int = 20, $since: String';
const LIST = 'deleted: removed { id deleted } meta { page perPage total totalPages cursor hasMore }';
const NODES = 'page: $page, perPage: $perPage, since: $since';

/** The payload already has the keys `data`, `deleted` and `meta`; the second and the cursor only with `since`. */
const listed = { envelope: { with: { ok: true } }, omitNull: ['deleted', 'meta.cursor', 'meta.hasMore'] } as const;

/** A cursor that is older than the retained deletions. */
const expiredCursor = { UNPROCESSABLE: 'since is older than the retained changes. Read the list again from since=0.' };
const listErrors = { ...expiredCursor, NOT_FOUND: 'Site not found' };
const draftErrors = {
  ...listErrors,
  FORBIDDEN: 'Only owners and admins may read content that is not published.',
};

const workspaceId = '0199a000-0000-7000-8000-000000000001';
const siteId = '0199a000-0000-7000-8000-000000000002';
const notFound = { NOT_FOUND: 'Workspace not found' };
const SITE = 'id workspaceId name slug status publishedAt createdAt updatedAt';

export const site = table(siteContent, {
  'GET /me': {
    summary: 'Read the user of the key, and the organizations and workspace that it can access',
    graphql: `query {
      siteIdentity {
        userId name email organizations { id name slug role } boundOrganization { id name slug role }
        workspace { id name slug createdAt }
      }
    }`,
    requires: { access: 'user' },
    example: {},
  },
  'GET /workspaces': {
    summary: 'List the workspaces of the organization, by name',
    graphql: `query (${PAGE}) { workspaces(${NODES}) { data: nodes { id name slug createdAt } ${LIST} } }`,
    ...listed,
    example: { query: { page: '1', perPage: '50' } },
    errors: expiredCursor,
  },
  'GET /workspaces/:workspaceId': {
    summary: 'Read a workspace',
    graphql: `query ($workspaceId: ID!) { workspace(id: $workspaceId) { id name slug createdAt } }`,
    example: { params: { workspaceId } },
    errors: notFound,
  },
  'GET /workspaces/:workspaceId/members': {
    summary: 'List the members of a workspace, oldest memberships first',
    graphql: `query ($workspaceId: ID!, ${PAGE}) {
      workspaceMembers(workspaceId: $workspaceId, ${NODES}) {
        data: nodes { id userId name email role joinedAt } ${LIST}
      }
    }`,
    ...listed,
    example: { params: { workspaceId }, query: { page: '1' } },
    errors: { ...expiredCursor, ...notFound },
  },
  'GET /sites': {
    summary: 'List the published sites of the organization, by name',
    description: 'Keys of owners and admins can include drafts with `status=all`.',
    graphql: `query (${PAGE}, $workspaceId: ID, $status: SiteFilter = published) {
      sites(${NODES}, workspaceId: $workspaceId, status: $status) {
        data: nodes { ${SITE} } ${LIST}
      }
    }`,
    ...listed,
    example: { query: { page: '1', perPage: '50' } },
    errors: { ...expiredCursor, ...notFound, FORBIDDEN: 'Only owners and admins may list sites that are not published.' },
  },
  'GET /sites/:siteId': {
    summary: 'Read a site',
    graphql: `query ($siteId: ID!) { site(id: $siteId) { ${SITE} } }`,
    example: { params: { siteId } },
    errors: { NOT_FOUND: 'Site not found' },
  },
  'GET /sites/:siteId/domain': {
    summary: 'Read the domain of a site',
    graphql: `query ($siteId: ID!) { siteDomain(siteId: $siteId) { domain subdomain status ssl verifiedAt } }`,
    example: { params: { siteId } },
    errors: { NOT_FOUND: 'Site not found' },
  },
});

const pageId = '0199a000-0000-7000-8000-000000000003';
const formId = '0199a000-0000-7000-8000-000000000004';
const submissionId = '0199a000-0000-7000-8000-000000000005';
const PAGE_FIELDS = 'id siteId title slug path status seo { title description } publishedAt createdAt updatedAt';
const FORM_FIELDS = 'id siteId name fields { name label type required options }';
const SUBMISSION = 'id formId values submittedAt pageId';

export const sitePages = table(siteContent, {
  'GET /sites/:siteId/pages': {
    summary: 'List the published pages of a site, by path',
    description: 'Keys of owners and admins can include drafts with `status=all`.',
    graphql: `query ($siteId: ID!, ${PAGE}, $status: PublicationFilter = published) {
      pages(siteId: $siteId, status: $status, ${NODES}) { data: nodes { ${PAGE_FIELDS} } ${LIST} }
    }`,
    ...listed,
    example: { params: { siteId }, query: { page: '1' } },
    errors: draftErrors,
  },
  'GET /sites/:siteId/pages/:pageId': {
    summary: 'Read a page',
    graphql: `query ($siteId: ID!, $pageId: ID!) { page(siteId: $siteId, id: $pageId) { ${PAGE_FIELDS} } }`,
    example: { params: { siteId, pageId } },
    errors: { NOT_FOUND: 'Page not found' },
  },
  'GET /sites/:siteId/forms': {
    summary: 'List the forms of a site, by name',
    graphql: `query ($siteId: ID!, ${PAGE}) { siteForms(siteId: $siteId, ${NODES}) { data: nodes { ${FORM_FIELDS} } ${LIST} } }`,
    ...listed,
    example: { params: { siteId }, query: { page: '1' } },
    errors: listErrors,
  },
  'GET /sites/:siteId/forms/:formId': {
    summary: 'Read a form',
    graphql: `query ($siteId: ID!, $formId: ID!) { siteForm(siteId: $siteId, id: $formId) { ${FORM_FIELDS} } }`,
    example: { params: { siteId, formId } },
    errors: { NOT_FOUND: 'Form not found' },
  },
  'GET /sites/:siteId/forms/:formId/submissions': {
    summary: 'List the submissions of a form, newest first',
    graphql: `query ($siteId: ID!, $formId: ID!, ${PAGE}) {
      siteFormSubmissions(siteId: $siteId, formId: $formId, ${NODES}) { data: nodes { ${SUBMISSION} } ${LIST} }
    }`,
    ...listed,
    example: { params: { siteId, formId }, query: { page: '1' } },
    errors: { ...listErrors, NOT_FOUND: 'Form not found' },
  },
  'GET /sites/:siteId/forms/:formId/submissions/:submissionId': {
    summary: 'Read a submission of a form',
    graphql: `query ($siteId: ID!, $formId: ID!, $submissionId: ID!) {
      siteFormSubmission(siteId: $siteId, formId: $formId, id: $submissionId) { ${SUBMISSION} }
    }`,
    example: { params: { siteId, formId, submissionId } },
    errors: { NOT_FOUND: 'Submission not found' },
  },
  'POST /sites/:siteId/forms/:formId/submissions': {
    summary: 'Submit a form of a published site as a visitor',
    description: 'The page must be on the verified domain of the site. Emits `form.submission.created`.',
    requires: { access: 'public' },
    headers: {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After',
      'cross-origin-resource-policy': 'cross-origin',
    },
    graphql: `mutation ($siteId: ID!, $formId: ID!, $values: JSONObject!, $pageId: ID, $honeypot: String) {
      submitSiteForm(siteId: $siteId, formId: $formId, values: $values, pageId: $pageId, honeypot: $honeypot) { id submittedAt }
    }`,
    status: 201,
    example: { params: { siteId, formId }, body: { values: { email: 'ada@example.com' } } },
    errors: { NOT_FOUND: 'Form not found', FORBIDDEN: 'The origin of this page is not the domain of the site.' },
  },
});

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
