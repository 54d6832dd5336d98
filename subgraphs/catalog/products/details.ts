import type { RequestScope } from '../../common/scope.ts';
import { Product } from './entity.ts';

type Detail = 'attributes' | 'provenance' | 'userProvidedRawDataSources';

/** A large column of many products in one query; lists leave them out. */
const detail =
  <K extends Detail>(column: K) =>
  async (scope: RequestScope, id: string): Promise<Product[K]> => {
    const read = scope.batch(`product ${column}`, async (ids) => {
      const found = await scope.em.fork().find(Product, { id: { $in: ids } }, { fields: ['id', column] as never });
      return new Map((found as Product[]).map((each) => [each.id, each[column]]));
    });
    return (await read(id))!;
  };

export const attributesOf = detail('attributes');
export const provenanceOf = detail('provenance');
export const sourcesOf = detail('userProvidedRawDataSources');

export async function variantsOf(scope: RequestScope, parentId: string): Promise<Product[]> {
  const read = scope.batch('product variants', async (ids) => {
    const found = await scope.em
      .fork()
      .find(Product, { parentId: { $in: ids } }, { orderBy: { sku: 'asc' }, limit: 1_000 * ids.length });
    return Map.groupBy(found, (each) => each.parentId!);
  });
  return ((await read(parentId)) ?? []).slice(0, 1_000);
}

export async function parentNameOf(scope: RequestScope, { parentId }: Product): Promise<string | null> {
  return (parentId && (await scope.load(Product, parentId))?.name) || null;
}
