import { detached, transaction } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import {
  type KnownProduct,
  locateProducts,
  type UpdateOptions,
  withProducts,
} from '../../subgraphs/catalog/imports/known-products.ts';
import { compare } from '../../subgraphs/catalog/imports/update.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());

const OPTIONS: UpdateOptions = { matchBy: 'sku', emptyCells: 'leave', overwrite: 'all' };
const about = { attributeId: 'a', attributeName: 'Text', attributeType: 'text' as const };

/** An item whose row has a text of this length. */
const itemOf = (sku: string, length: number) => ({
  id: sku,
  type: 'standalone' as const,
  data: { sku, name: 'Lamp', brand: '', category: '', manufacturer: '', mpn: '', variantOptions: {} },
  details: {
    ...{ rows: [], source: [], questions: [], others: [], empty: { fields: [], slugs: [] } },
    values: [{ slug: 'text', column: 'Text', cell: '', ...about, value: 'n'.repeat(length) }],
  },
});

test('a value that replaces another does not count together with it', () => {
  const product = (otherBytes: number): KnownProduct => ({
    ...{ key: 'A', id: 'A', sku: 'A', name: 'Lamp', brand: null, category: null, manufacturer: null, mpn: null, uom: null },
    ...{ externalId: null, parentId: null, isParent: false, parent: null, sources: [], provenance: {}, otherBytes },
    attributes: { text: { ...about, value: 'o'.repeat(600_000) } },
  });
  const item = itemOf('A', 600_000);
  expect(compare(product(300_000), item, 'job', OPTIONS)).toMatchObject({ update: { values: { text: {} } } });
  expect(compare(product(500_000), item, 'job', OPTIONS)).toMatchObject({ refusal: 'The values are too large' });
});

test('large products of a batch are read a few at a time', async () => {
  const { id: organizationId } = await graph.seed();
  await graph.services.pool.query(
    `insert into catalog.products (id, organization_id, sku, name, attributes)
     select gen_random_uuid(), $1, 'S-' || n, 'Lamp', jsonb_build_object('text', jsonb_build_object('attributeType', 'text', 'value', repeat('x', 900000)))
       from generate_series(1, 20) n`,
    [organizationId],
  );
  const items = Array.from({ length: 21 }, (_, n) => itemOf(`S-${n}`, 10));
  await transaction(detached({ organizationId, services: graph.services }), async (scope) => {
    const located = await locateProducts(scope, items, OPTIONS);
    const parts = await Array.fromAsync(withProducts(scope, items, located));
    expect(parts.map((part) => part.length)).toEqual([9, 8, 4]);
    const found = parts.flat().map(([{ id }, product]) => [id, product?.sku]);
    expect(found).toEqual(items.map(({ id }, n) => [id, n === 0 ? undefined : id]));
  });
});
