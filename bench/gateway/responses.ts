import { isDeepStrictEqual } from 'node:util';
import { bodyOf } from '../load.ts';

/** GraphQL URLs by peer name. */
type Urls = Record<string, string>;

export const requestOf = (query: string): string => JSON.stringify({ query });

/** Send the same query to all peers and return the response size of each. Throws if their data differs. */
export async function sameAnswers(urls: Urls, query: string): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  let first: { name: string; data: unknown } | undefined;
  for (const [name, url] of Object.entries(urls)) {
    const text = await bodyOf({ url, headers: { 'content-type': 'application/json' }, body: requestOf(query) });
    const { data, errors } = JSON.parse(text);
    if (errors || !data) throw new Error(`${name} does not answer the query: ${text.slice(0, 500)}`);
    first ??= { name, data };
    if (!isDeepStrictEqual(data, first.data)) throw new Error(`${name} and ${first.name} do not answer the same data`);
    sizes[name] = Buffer.byteLength(text);
  }
  return sizes;
}
