import { table } from '../route.ts';
import { siteContent } from '../surfaces.ts';

const workspaceId = '0199a000-0000-7000-8000-000000000001';
const notFound = { NOT_FOUND: 'Workspace not found' };
/** The payload already has the keys `data` and `meta`. */
const listed = { with: { ok: true } };

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
    graphql: `query ($page: Int = 1, $perPage: Int = 20) {
      workspaces(page: $page, perPage: $perPage) {
        data: nodes { id name slug createdAt }
        meta { page perPage total totalPages }
      }
    }`,
    envelope: listed,
    example: { query: { page: '1', perPage: '50' } },
  },
  'GET /workspaces/:workspaceId': {
    summary: 'Read a workspace',
    graphql: `query ($workspaceId: ID!) { workspace(id: $workspaceId) { id name slug createdAt } }`,
    example: { params: { workspaceId } },
    errors: notFound,
  },
  'GET /sites': {
    summary: 'List the published sites of the organization, by name',
    description: 'Keys of owners and admins can include drafts with `status=all`.',
    graphql: `query ($page: Int = 1, $perPage: Int = 20, $workspaceId: ID, $status: SiteFilter = published) {
      sites(page: $page, perPage: $perPage, workspaceId: $workspaceId, status: $status) {
        data: nodes { id workspaceId name slug status publishedAt createdAt updatedAt }
        meta { page perPage total totalPages }
      }
    }`,
    envelope: listed,
    example: { query: { page: '1', perPage: '50' } },
    errors: { ...notFound, FORBIDDEN: 'Only owners and admins may list sites that are not published.' },
  },
});
