import { jest } from '@jest/globals';
import pg from 'pg';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { key } = await graph.seed();
const owner = graph.caller(key);
const CREATE = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id } }';

async function statementsOf(input: object): Promise<string[]> {
  const spy = jest.spyOn(pg.Client.prototype, 'query');
  try {
    await owner.ask(CREATE, { input });
    const texts = spy.mock.calls.map(([statement]: unknown[]) => (statement as { text?: string }).text ?? String(statement));
    return texts.map((text) => text.trim().split(' ')[0]!).filter((word) => ['begin', 'insert', 'commit'].includes(word));
  } finally {
    spy.mockRestore();
  }
}

test('a product is created by one statement, and a variant in a transaction that locks its parent', async () => {
  expect(await statementsOf({ sku: 'ONE', name: 'Drill' })).toEqual(['insert']);
  const { createProduct: parent } = await owner.ask(CREATE, { input: { sku: 'PARENT', name: 'Drills', isParent: true } });
  expect(await statementsOf({ sku: 'VARIANT', name: 'Drill', parentId: parent.id })).toEqual(['begin', 'insert', 'commit']);
});

test('a product whose keys are taken is refused by their names', async () => {
  await owner.ask(CREATE, { input: { sku: 'TAKEN', name: 'Drill', externalId: 'erp-1' } });
  const refusal = (input: object) => owner.refusal(CREATE, { input: { name: 'Drill', ...input } });
  const taken = 'CONFLICT: Products with these SKUs/externalIds already exist:';
  expect(await refusal({ sku: 'TAKEN' })).toBe(`${taken} TAKEN`);
  expect(await refusal({ sku: 'FREE', externalId: 'erp-1' })).toBe(`${taken} erp-1`);
});
