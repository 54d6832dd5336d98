/** The registry of the gateway's package in the product's database: which client sent which operation, by hour, and the schemas of the graph. */
import type { Counted, Slice } from 'compiled-gateway/registry';
import { type ListPage, type PageRequest, paginate } from '../lists/index.ts';

export * from 'compiled-gateway/registry';

/** A page of a list of the registry. */
export async function pageOf<T>({ page, limit }: PageRequest, list: (slice: Slice) => Promise<Counted<T>>): Promise<ListPage<T>> {
  const { nodes, total } = await list({ limit, offset: (page - 1) * limit });
  return paginate(nodes, { page, limit }, total);
}
