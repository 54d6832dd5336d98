import type { Client, OperationResult, TypedDocumentNode } from 'urql';
import { codeOf } from '../../graph/graph-client.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import type { ListVariables } from './filter-state.ts';

const PRODUCT_IDS = graphql(`
  query ProductIds(
    $after: String, $orderBy: ProductOrder!, $sortOrder: SortOrder!
    $filter: ProductFilter, $parentFilter: ParentFilter!, $enrichedFilter: EnrichedFilter!
  ) {
    products(
      after: $after, limit: 100, orderBy: $orderBy, sortOrder: $sortOrder
      filter: $filter, parentFilter: $parentFilter, enrichedFilter: $enrichedFilter
    ) {
      nodes { id }
      endCursor
    }
  }
`);

/** Milliseconds to wait after the rate limit was reached. */
const PAUSE = 5_000;

interface ListPage {
  products: { nodes: object[]; endCursor?: string | null };
}

/** All products of a filter, by cursor. Waits when the rate limit is reached. */
async function* allProducts<Data extends ListPage>(
  client: Client,
  document: TypedDocumentNode<Data, ListVariables & { after?: string | null }>,
  variables: ListVariables,
): AsyncGenerator<Data['products']['nodes'], void, void> {
  for (let after: string | null | undefined; ; ) {
    const { data, error }: OperationResult<Data> = await client.query(
      document,
      { ...variables, after },
      { requestPolicy: 'network-only' },
    );
    if (error && codeOf(error) === 'RATE_LIMITED') {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      continue;
    }
    if (!data) throw error;
    yield data.products.nodes;
    after = data.products.endCursor;
    if (!after) return;
  }
}

/** The ids of at most `limit` products of a filter. */
export async function productIds(client: Client, variables: ListVariables, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of allProducts(client, PRODUCT_IDS, variables)) {
    ids.push(...page.map(({ id }) => id));
    if (ids.length >= limit) break;
  }
  return ids.slice(0, limit);
}
