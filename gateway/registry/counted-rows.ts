/** A part of a list. */
export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/** A part of a list, and the length of the list. */
export interface Counted<T> {
  readonly nodes: T[];
  readonly total: number;
}

/** Reads rows that each have the total of their list. A slice past the end has none, so the first row tells its total. */
export async function countedRows<R extends { total: number }>(
  { limit, offset }: Slice,
  read: (limit: number, offset: number) => Promise<{ rows: R[] }>,
): Promise<{ rows: R[]; total: number }> {
  const { rows } = await read(limit, offset);
  const [first] = rows.length > 0 || offset === 0 ? rows : (await read(1, 0)).rows;
  return { rows, total: first?.total ?? 0 };
}
