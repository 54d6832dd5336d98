import { table } from '../route.ts';
import { siteContent } from '../surfaces.ts';

/** The parts that all lists of site content share: variables, fields, envelope and errors. */
export const PAGE = '$page: Int = 1, $perPage: Int = 20, $since: String';
export const LIST = 'deleted: removed { id deleted } meta { page perPage total totalPages cursor hasMore }';
export const NODES = 'page: $page, perPage: $perPage, since: $since';

/** The payload already has the keys `data`, `deleted` and `meta`; the second and the cursor only with `since`. */
export const listed = { envelope: { with: { ok: true } }, omitNull: ['deleted', 'meta.cursor', 'meta.hasMore'] } as const;

/** A cursor that is older than the retained deletions. */
const expiredCursor = { UNPROCESSABLE: 'since is older than the retained changes. Read the list again from since=0.' };
export const listErrors = { ...expiredCursor, NOT_FOUND: 'Site not found' };
export const draftErrors = {
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
