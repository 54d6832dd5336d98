import { randomUUID } from 'node:crypto';

/** A marker for product names that counts the model requests for them. */
export function markedName() {
  const id = randomUUID();
  const asked = async () => Number(await (await fetch(new URL(`/seen/${id}`, process.env.TEST_PROVIDER))).text());
  return { name: `[[provider: count 0 ${id}]]`, asked };
}
