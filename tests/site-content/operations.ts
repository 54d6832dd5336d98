import { siteContent } from '../../subgraphs/site-content/site-content.ts';
import { siteContentTables } from '../../subgraphs/site-content/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

export const openSites = (options: Parameters<typeof openSubgraph>[2] = {}) =>
  openSubgraph(siteContent, siteContentTables, { secretsKeys: ['one key of at least thirty-two characters'], ...options });

const SITE = 'id workspaceId name slug status publishedAt createdAt updatedAt';

export const CREATE_WORKSPACE = 'mutation ($input: NewWorkspace!) { createWorkspace(input: $input) { id name slug createdAt } }';
export const UPDATE_WORKSPACE =
  'mutation ($id: ID!, $input: WorkspaceChange!) { updateWorkspace(id: $id, input: $input) { id name slug } }';
export const DELETE_WORKSPACE = 'mutation ($id: ID!) { deleteWorkspace(id: $id) { id deleted } }';
export const WORKSPACE = 'query ($id: ID!) { workspace(id: $id) { id name slug createdAt } }';
export const WORKSPACES = `query ($page: Int = 1, $perPage: Int = 20) {
  workspaces(page: $page, perPage: $perPage) { nodes { id name slug createdAt } meta { page perPage total totalPages } }
}`;

export const CREATE_SITE = `mutation ($input: NewSite!) { createSite(input: $input) { ${SITE} } }`;
export const UPDATE_SITE = `mutation ($id: ID!, $input: SiteChange!) { updateSite(id: $id, input: $input) { ${SITE} } }`;
export const PUBLISH = `mutation ($id: ID!) { publishSite(id: $id) { ${SITE} } }`;
export const UNPUBLISH = `mutation ($id: ID!) { unpublishSite(id: $id) { ${SITE} } }`;
export const DELETE_SITE = 'mutation ($id: ID!) { deleteSite(id: $id) { id deleted } }';
export const FIND_SITE = `query ($id: ID!) { site(id: $id) { ${SITE} workspace { name } } }`;
export const SITES = `query ($page: Int = 1, $perPage: Int = 20, $workspaceId: ID, $status: SiteFilter = published) {
  sites(page: $page, perPage: $perPage, workspaceId: $workspaceId, status: $status) {
    nodes { ${SITE} } meta { page perPage total totalPages }
  }
}`;
