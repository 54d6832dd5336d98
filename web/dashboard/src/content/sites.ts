import type { WorkspacesQuery } from '../../.graph/graphql.ts';
import { graphql } from '../graph/graphql.ts';

export const WORKSPACES = graphql(`
  query Workspaces($status: SiteFilter!) {
    workspaces(perPage: 100) {
      nodes {
        id name slug version
        sites(perPage: 100, status: $status) { nodes { id workspaceId name slug status publishedAt version updatedAt } }
      }
    }
  }
`);
export const SITE = graphql(`query Site($id: ID!) { site(id: $id) { id workspaceId name slug status version updatedAt } }`);

export type WorkspaceRow = WorkspacesQuery['workspaces']['nodes'][number];
export type SiteRow = NonNullable<WorkspaceRow['sites']>['nodes'][number];

export const CREATE_WORKSPACE = graphql(
  `mutation CreateWorkspace($input: NewWorkspace!) { createWorkspace(input: $input) { id } }`,
);
export const CHANGE_WORKSPACE = graphql(`
  mutation ChangeWorkspace($id: ID!, $version: Int!, $input: WorkspaceChange!) {
    updateWorkspace(id: $id, version: $version, input: $input) { id name slug version }
  }
`);
export const REMOVE_WORKSPACE = graphql(`mutation RemoveWorkspace($id: ID!) { deleteWorkspace(id: $id) { id } }`);

export const CREATE_SITE = graphql(`mutation CreateSite($input: NewSite!) { createSite(input: $input) { id } }`);
export const CHANGE_SITE = graphql(`
  mutation ChangeSite($id: ID!, $version: Int!, $input: SiteChange!) {
    updateSite(id: $id, version: $version, input: $input) { id name slug version }
  }
`);
export const REMOVE_SITE = graphql(`mutation RemoveSite($id: ID!) { deleteSite(id: $id) { id } }`);
export const PUBLISH_SITE = graphql(`mutation PublishSite($id: ID!) { publishSite(id: $id) { id status publishedAt version } }`);
export const UNPUBLISH_SITE = graphql(
  `mutation UnpublishSite($id: ID!) { unpublishSite(id: $id) { id status publishedAt version } }`,
);
