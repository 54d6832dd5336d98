import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { color, seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';
import { codeOf, runScript } from './page.ts';

/** `MIRROR_EDITS=10000` runs the full number. */
const EDITS = Number(process.env.MIRROR_EDITS ?? 400);
const WRITERS = 4;
const [program] = codeOf('js', ['docs/mirror.md']);

type Catalog = Awaited<ReturnType<typeof seedCatalog>>;

/** A generator of pseudo-random numbers below `max`, so that a failure can be repeated. */
function randomOf(seed: number) {
  let state = seed;
  return (max: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % max;
  };
}

/** The records of a mirror by id. */
function recordsOf(file: string): Map<string, unknown> {
  const db = new DatabaseSync(file);
  const rows = db.prepare('select id, subject, data from records order by id').all();
  db.close();
  return new Map(rows.map(({ id, subject, data }) => [String(id), { subject, ...JSON.parse(String(data)) }]));
}

/** The records of the catalog by id, as the lists of the graph show them. */
async function recordsIn({ api, id: organizationId }: Catalog): Promise<Map<string, unknown>> {
  const records = new Map<string, unknown>();
  const LIST = `query ($after: String) { products(after: $after, limit: 100, orderBy: sku) { endCursor nodes {
    id sku externalId name brand category manufacturer mpn uom parentId isParent attributes } } }`;
  for (let after: string | null = null; ; ) {
    const { products } = await api.graphql(LIST, { after });
    for (const { id, ...product } of products.nodes) records.set(id, { subject: 'product', ...product });
    after = products.endCursor;
    if (!after) break;
  }
  for (const [subject, table] of [
    ['brand', 'brands'],
    ['category', 'categories'],
  ]) {
    const { rows } = await database().query(`select id, name, slug from catalog.${table} where organization_id = $1`, [
      organizationId,
    ]);
    for (const { id, ...label } of rows) records.set(id, { subject, ...label });
  }
  return new Map([...records].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Create, change and delete records at random, several at once. */
async function editAtRandom({ api, slug }: Catalog): Promise<void> {
  const random = randomOf(11);
  const known: string[] = [];
  let left = EDITS;
  const edit = async (nth: number) => {
    const kind = random(12);
    const at = random(known.length || 1);
    const id = known[at];
    const sku = () => `M-${nth}-${randomUUID().slice(0, 8)}`;
    if (!id || kind < 2) {
      const { createProduct } = await api.graphql('mutation ($input: NewProduct!) { createProduct(input: $input) { id } }', {
        input: { sku: sku(), name: `Product ${nth}`, isParent: kind === 0 },
      });
      known.push(createProduct.id);
    } else if (kind < 4) {
      const input = Array.from({ length: 1 + random(8) }, (_, n) => ({ sku: `${sku()}-${n}`, name: `Product ${nth}.${n}` }));
      const { createProducts } = await api.graphql(
        'mutation ($products: [NewProduct!]!) { createProducts(products: $products) { ids } }',
        { products: input },
      );
      known.push(...createProducts.ids);
    } else if (kind < 7)
      // Another writer may have deleted the product.
      await api.refusal('mutation ($id: ID!, $name: String) { updateProduct(id: $id, input: { name: $name }) { id } }', {
        id,
        name: `Renamed ${nth}`,
      });
    else if (kind < 9)
      await api.refusal(
        'mutation ($id: ID!, $values: AttributeValues!) { updateProductAttributes(id: $id, attributes: $values) { id } }',
        {
          id,
          values: { color: { attributeType: 'text', value: `shade ${nth}` } },
        },
      );
    else if (kind < 10)
      await api.post(`/api/${slug}/${random(2) ? 'brands' : 'product-categories'}/create`, { name: `Name ${nth}` });
    else {
      known.splice(at, 1);
      await api.refusal('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id });
    }
  };
  const write = async () => {
    while (left > 0) await edit(left--);
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

test(
  'the program of the page, killed many times while others edit, has an exact copy at the end',
  async () => {
    const catalog = await seedCatalog([color]);
    const file = join(tmpdir(), `mirror-${catalog.slug}.db`);
    const env = { CATALOG_URL: process.env.TEST_URL!, CATALOG_KEY: catalog.key, MIRROR_FILE: file, MIRROR_INTERVAL: '10' };
    try {
      let isEditing = true;
      const edits = editAtRandom(catalog).finally(() => {
        isEditing = false;
      });
      const random = randomOf(3);
      let kills = 0;
      while (isEditing) {
        let lines = 1 + random(6);
        const small = program!.replace('limit: 500', `limit: ${1 + random(20)}`);
        await runScript(`mirror-${catalog.slug}`, small, env, (_, child) => {
          if (--lines > 0 && isEditing) return;
          kills += Number(child.kill('SIGKILL'));
        });
      }
      await edits;
      const { lines } = await runScript(`mirror-${catalog.slug}`, program!, env, (_, child) => child.kill('SIGKILL'));
      expect(lines.every((line) => line.startsWith('complete') || line.includes('SQLite'))).toBe(true);
      expect(kills).toBeGreaterThan(1);
      expect(recordsOf(file)).toEqual(await recordsIn(catalog));
    } finally {
      for (const end of ['', '-wal', '-journal', '-shm']) await rm(file + end, { force: true });
    }
  },
  300_000 + EDITS * 200,
);
