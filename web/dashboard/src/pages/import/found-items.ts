import { graphql } from '../../graph/graphql.ts';

graphql(`
  fragment FoundItem on ImportItem {
    id parentItemId type status errorMessage childCount
    data { name sku brand category manufacturer mpn variantOptions }
  }
`);

export const FOUND_ITEMS = graphql(`
  query FoundItems($jobId: ID!, $page: Int!, $limit: Int!, $search: String!, $sort: ImportSort!) {
    importItems(jobId: $jobId, page: $page, limit: $limit, searchQuery: $search, sort: $sort) {
      nodes { ...FoundItem }
      pagination { total }
    }
  }
`);
export const CHANGE_ITEM = graphql(`
  mutation ChangeFoundItem($id: ID!, $input: ImportItemChange!) { updateImportItem(id: $id, input: $input) { ...FoundItem } }
`);
export const FINALIZE = graphql(`
  mutation FinalizeImport($jobId: ID!, $all: Boolean, $itemIds: [ID!], $excludedIds: [ID!]) {
    finalizeAiImportJob(jobId: $jobId, all: $all, itemIds: $itemIds, excludedIds: $excludedIds) { jobId imported failed }
  }
`);
