import type { PoolClient } from 'pg';
import { caller } from '../support/client.ts';
import { color, seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { codeOf } from './page.ts';

interface Mirrored {
  id: string;
  name: string;
  parentName: string | null;
  updatedAt: string;
}
interface Mirror {
  mirror: Map<string, Mirrored>;
  readChanges(): Promise<void>;
}

const printed = codeOf('js').find((code) => code.includes('const OVERLAP'))!;

/** The mirror of the page, which reads a catalog through the graph. */
async function openMirror(key: string, code = printed): Promise<Mirror> {
  const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<Mirror>;
  const run = new AsyncFunction('request', 'console', `${code}; return { mirror, readChanges };`);
  return run(caller(key).graphql, { log() {} });
}

const RENAME = 'mutation ($id: ID!, $name: String) { updateProduct(id: $id, input: { name: $name }) { id } }';

test('a mirror receives a change whose transaction commits late', async () => {
  const catalog = await seedCatalog([color]);
  const [late, quick] = await catalog.addProducts([{}, {}]);
  const documented = await openMirror(catalog.key);
  const withoutOverlap = await openMirror(catalog.key, printed.replace('newest - OVERLAP', 'newest'));
  const change = 'update catalog.products set mpn = $2, updated_at = now() where id = $1';
  const at = (mirror: Mirror, id: string) => Date.parse(mirror.mirror.get(id)!.updatedAt);
  const created = at(documented, late!);
  const clients = await Promise.all([1, 2, 3].map(() => database().connect()));
  const [client] = clients as [PoolClient & { processID: number }];
  // Two connections of the same slot of `product_versions` would wait for each other.
  const other = clients.find((each) => ((each as typeof client).processID - client.processID) % 16 !== 0)!;
  try {
    await client.query('begin');
    await client.query(change, [late, 'late']);
    await other.query(change, [quick, 'quick']);
    for (const { readChanges } of [documented, withoutOverlap]) await readChanges();
    await client.query('commit');
  } finally {
    for (const each of clients) each.release(true);
  }
  for (const { readChanges } of [documented, withoutOverlap]) await readChanges();
  expect(at(documented, late!)).toBeGreaterThan(created);
  expect(at(withoutOverlap, late!)).toBe(created);
});

test('a mirror learns of the new name of a parent and of its deletion through the variants', async () => {
  const catalog = await seedCatalog([color]);
  const [parent, second] = await catalog.addProducts([
    { name: 'Kettles', isParent: true },
    { name: 'Pans', isParent: true },
  ]);
  // More than two batches.
  const variants = await catalog.addProducts(Array.from({ length: 1_100 }, () => ({ parentId: parent })));
  const [stranger] = await catalog.addProducts([{ parentId: second }]);
  const { mirror, readChanges } = await openMirror(catalog.key);
  const before = mirror.get(stranger!)!.updatedAt;
  const names = () => new Set(variants.map((id) => mirror.get(id)!.parentName));
  expect(names()).toEqual(new Set(['Kettles']));
  await catalog.api.graphql(RENAME, { id: parent, name: 'Kettles and pots' });
  const changedAt = mirror.get(variants[0]!)!.updatedAt;
  await until(async () => {
    await readChanges();
    return variants.every((id) => mirror.get(id)!.updatedAt > changedAt);
  });
  expect(names()).toEqual(new Set(['Kettles and pots']));
  expect(mirror.get(stranger!)!.updatedAt).toBe(before);
  await catalog.api.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: parent });
  await readChanges();
  expect(names()).toEqual(new Set([null]));
}, 120_000);

test('a change of a parent without a new name leaves its variants unchanged', async () => {
  const { addProducts, api } = await seedCatalog([color]);
  const [parent] = await addProducts([{ name: 'Kettles', isParent: true }]);
  await addProducts([{ parentId: parent }]);
  await api.graphql('mutation ($id: ID!) { updateProduct(id: $id, input: { name: "Kettles", brand: "Norrvik" }) { id } }', {
    id: parent,
  });
  const { rows } = await database().query(
    `select from identity.outbox where topic = 'variants.touch' and payload ->> 'parentId' = $1`,
    [parent],
  );
  expect(rows).toEqual([]);
});
