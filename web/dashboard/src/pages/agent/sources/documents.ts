import type { SourcesQuery } from '../../../../.graph/graphql.ts';
import { graphql } from '../../../graph/graphql.ts';

export const SOURCES = graphql(`
  query Sources($agentId: ID!) {
    sources(agentId: $agentId) {
      id type name url status error pageCount failedPageCount pageTotal chunkCount refreshInterval lastIndexedAt
    }
  }
`);
export const SOURCE_CONTENT = graphql(`query SourceContent($id: ID!) { source(id: $id) { id text qa { question answer } } }`);
export const SOURCE_PAGES = graphql(`
  query SourcePages($sourceId: ID!, $status: SourcePageStatus, $page: Int!, $limit: Int!) {
    sourcePages(sourceId: $sourceId, status: $status, page: $page, limit: $limit) {
      nodes { id url status error title lastSeenAt }
      pagination { total }
    }
  }
`);
export const SOURCE_PROGRESS = graphql(`
  subscription SourceProgress($id: ID!, $after: Int! = 0) {
    sourceProgress(id: $id, after: $after) {
      sourceId sequence status error pageCount failedPageCount pageTotal stagedCount embeddedCount chunkCount
    }
  }
`);
export const CREATE_SOURCE = graphql(
  `mutation CreateSource($agentId: ID!, $input: NewSource!) { createSource(agentId: $agentId, input: $input) { id status } }`,
);
export const UPDATE_SOURCE = graphql(
  `mutation UpdateSource($id: ID!, $input: SourceChange!) { updateSource(id: $id, input: $input) { id name refreshInterval } }`,
);
export const REFRESH_SOURCE = graphql(`mutation RefreshSource($id: ID!) { refreshSource(id: $id) { id status } }`);
export const DELETE_SOURCE = graphql(`mutation DeleteSource($id: ID!) { deleteSource(id: $id) { id } }`);

export type Source = SourcesQuery['sources'][number];
