import type { PageRequest } from '../lists/index.ts';

/** Reads a page of rows that each have the total of their list. A page past the end has none, so the first row tells its total. */
export async function countedPage<R extends { total: number }>(
  { page, limit }: PageRequest,
  read: (limit: number, offset: number) => Promise<{ rows: R[] }>,
): Promise<{ rows: R[]; total: number }> {
  const { rows } = await read(limit, (page - 1) * limit);
  const [first] = rows.length > 0 || page === 1 ? rows : (await read(1, 0)).rows;
  return { rows, total: first?.total ?? 0 };
}
