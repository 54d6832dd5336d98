import { sql } from '../../../platform/database/index.ts';

// A product can have many large values, so a change reads only those of the attributes that it concerns, and few products at a time.

type Fragment = ReturnType<typeof sql>;

/** SQL of the values, or of their origins, of some attributes. `product` is an alias, and `slugs` an array. */
export const pickedValues = (product: string, column: 'attributes' | 'provenance', slugs: Fragment): Fragment => {
  const values = sql.raw(`${product}.${column}`);
  return sql`coalesce((select jsonb_object_agg(s, ${values} -> s) from unnest(${slugs}) s where ${values} ? s), '{}')`;
};

/** SQL of the bytes of the values of some attributes with their origins. */
export const pickedBytes = (product: string, slugs: Fragment): Fragment => {
  const [values, origins] = [sql.raw(`${product}.attributes`), sql.raw(`${product}.provenance`)];
  return sql`(select coalesce(sum(octet_length((${values} -> s)::text) + coalesce(octet_length((${origins} -> s)::text), 0)), 0)::float8
                from unnest(${slugs}) s where ${values} ? s)`;
};

/** Divides rows into parts of at most so many bytes, in their order. A larger row is a part of its own. */
export function partsOf<Row>(rows: readonly Row[], bytesOf: (row: Row) => number, max: number): Row[][] {
  const parts: Row[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    bytes += bytesOf(row);
    if (bytes > max) {
      parts.push([]);
      bytes = bytesOf(row);
    }
    parts.at(-1)!.push(row);
  }
  return parts;
}
