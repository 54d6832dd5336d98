import { graphql } from '../../graph/graphql.ts';
import '../../jobs/summary.ts';

export const IMPORT = graphql(`
  query ImportPage($id: ID!) {
    job(id: $id) { ...JobSummary sequence totalExtracted prompt createdBy { id name email } uploadedFiles { id name } }
  }
`);

export const IMPORT_PROGRESS = graphql(`
  subscription ImportProgress($id: ID!, $after: Int!) {
    jobProgress(id: $id, after: $after) { sequence job { ...JobSummary sequence totalExtracted } }
  }
`);

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

export const STOP_IMPORT = graphql(`mutation StopImport($id: ID!) { stopJob(id: $id) { ...JobSummary } }`);
