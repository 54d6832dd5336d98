import { type Bind, readRows } from '../../common/lists/rows.ts';
import type { RequestScope } from '../../common/scope.ts';
import { Product } from './entity.ts';
import { joined, LIST_COLUMNS } from './list-columns.ts';

export const MAX_VARIANTS = 1_000;

type Detail = 'attributes' | 'provenance' | 'userProvidedRawDataSources';

/** Constants, because `readRows` caches the SQL text per array of columns. */
const columns = {
  attributes: ['id', 'attributes'],
  provenance: ['id', 'provenance'],
  userProvidedRawDataSources: ['id', 'userProvidedRawDataSources'],
} as const;

/** Batches a large column, which lists omit, into one query. */
const detail =
  <K extends Detail>(column: K) =>
  async (scope: RequestScope, id: string): Promise<Product[K]> => {
    const read = scope.batch(`product ${column}`, async (ids) => {
      const found = await readRows(scope, Product, { columns: columns[column], where: { id: ids } });
      return new Map(found.map((each) => [each.id, each[column]]));
    });
    return (await read(id))!;
  };

export const attributesOf = detail('attributes');
export const provenanceOf = detail('provenance');
export const sourcesOf = detail('userProvidedRawDataSources');

export async function variantsOf(scope: RequestScope, parentId: string): Promise<Product[]> {
  const read = scope.batch('product variants', async (ids) => {
    const matching = (bind: Bind) => `r.id in (
      select v.id from unnest(${bind(ids)}::uuid[]) as p (id) cross join lateral (
        select id from catalog.products where organization_id = ${bind(scope.organizationId)} and parent_id = p.id order by sku limit ${MAX_VARIANTS}
      ) v)`;
    const found = await readRows(scope, Product, { columns: LIST_COLUMNS, joined, matching, orderBy: { sku: 'asc' } });
    return Map.groupBy(found, (each) => each.parentId!);
  });
  return (await read(parentId)) ?? [];
}

export async function parentNameOf(scope: RequestScope, { parentId }: Product): Promise<string | null> {
  return (parentId && (await scope.load(Product, parentId))?.name) || null;
}
