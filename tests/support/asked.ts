import { randomUUID } from 'node:crypto';

/** Stands in the name of products; how often the provider was asked about one of them. */
export function markedName() {
  const id = randomUUID();
  const asked = async () => Number(await (await fetch(new URL(`/seen/${id}`, process.env.TEST_PROVIDER))).text());
  return { name: `[[provider: count 0 ${id}]]`, asked };
}
