import { graphql } from '../../graph/graph-hooks.ts';

graphql(`
  fragment FoundItem on ImportItem {
    id parentItemId productId type status errorMessage childCount questionCount
    data { name sku brand category manufacturer mpn variantOptions }
  }
`);

export const FOUND_ITEMS = graphql(`
  query FoundItems(
    $jobId: ID!, $page: Int!, $limit: Int!, $search: String!, $orderBy: ImportOrder!, $inQuestion: Boolean!
    $isCompared: Boolean!, $matchBy: ImportMatch!, $emptyCells: EmptyCells!, $overwrite: OverwriteMode!
  ) {
    importItems(jobId: $jobId, page: $page, limit: $limit, searchQuery: $search, orderBy: $orderBy, inQuestion: $inQuestion) {
      nodes {
        ...FoundItem
        differences(matchBy: $matchBy, emptyCells: $emptyCells, overwrite: $overwrite) @include(if: $isCompared) {
          field label before after isProtected
        }
      }
      pagination { total }
    }
  }
`);
export const CHANGE_ITEM = graphql(`
  mutation ChangeFoundItem($id: ID!, $input: ImportItemChange!) { updateImportItem(id: $id, input: $input) { ...FoundItem } }
`);
export const FINALIZE = graphql(`
  mutation FinalizeImport(
    $jobId: ID!, $all: Boolean, $itemIds: [ID!], $excludedIds: [ID!]
    $mode: ImportMode!, $matchBy: ImportMatch!, $emptyCells: EmptyCells!, $overwrite: OverwriteMode!
  ) {
    finalizeAiImportJob(
      jobId: $jobId, all: $all, itemIds: $itemIds, excludedIds: $excludedIds
      mode: $mode, matchBy: $matchBy, emptyCells: $emptyCells, overwrite: $overwrite
    ) { jobId imported failed created updated unchanged }
  }
`);
export const FOUND_DETAILS = graphql(`
  query FoundDetails($id: ID!) {
    importItem(id: $id) {
      id
      rows { file row }
      values { slug attributeName attributeType value column cell }
      source { column cell }
      questions { key kind slug column cell readings statements attributeName attributeType }
    }
  }
`);
