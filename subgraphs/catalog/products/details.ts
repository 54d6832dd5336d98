import { type Bind, readRows } from '../../../platform/database/index.ts';
import { columnReader } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Product } from './entity.ts';
import { joined, LIST_COLUMNS } from './product-list.ts';

export const MAX_VARIANTS = 1_000;

export const attributesOf = columnReader(Product, 'attributes');
export const provenanceOf = columnReader(Product, 'provenance');
export const sourcesOf = columnReader(Product, 'userProvidedRawDataSources');

export async function variantsOf(scope: RequestScope, parentId: string, { isAgent = false } = {}): Promise<Product[]> {
  const read = scope.batch('product variants', async (ids) => {
    const matching = (bind: Bind) => `r.id in (
      select v.id from unnest(${bind(ids)}::uuid[]) as p (id) cross join lateral (
        select id from catalog.products where organization_id = ${bind(scope.organizationId)} and parent_id = p.id ${isAgent ? 'and not archived' : ''} order by sku limit ${MAX_VARIANTS}
      ) v)`;
    const found = await readRows(scope, Product, { columns: LIST_COLUMNS, joined, matching, orderBy: { sku: 'asc' } });
    return Map.groupBy(found, (each) => each.parentId!);
  });
  return (await read(parentId)) ?? [];
}

export async function parentNameOf(scope: RequestScope, { parentId }: Product): Promise<string | null> {
  return (parentId && (await scope.load(Product, parentId))?.name) || null;
}
