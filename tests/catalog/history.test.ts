import { randomUUID } from 'node:crypto';
import { database } from '../support/seed.ts';
import { anId, aTime, type Catalog, invalid, notFound, ok, openCatalog } from './catalog.ts';

let catalog: Catalog;
let id: string;
const colour = { attributeId: 'a1', attributeName: 'Colour', attributeType: 'text', value: 'Red' };
const day = (n: number) => new Date(Date.UTC(2026, 0, n));

beforeAll(async () => {
  catalog = await openCatalog();
  id = await catalog.create({ sku: 'A' });
  const { id: organization } = catalog.organization;
  // Insert out of order; the last two have equal timestamps.
  for (const n of [3, 1, 12, 7, 2, 9, 4, 11, 5, 8, 6, 10, 10]) {
    await database().query(
      'insert into catalog.enrichment_history (id, organization_id, product_id, enriched_at, attributes) values ($1, $2, $3, $4, $5)',
      [randomUUID(), organization, id, day(n), { colour: { ...colour, value: `Red ${n}` } }],
    );
    await database().query(
      'insert into catalog.validation_history (id, organization_id, product_id, validated_at, overall_score) values ($1, $2, $3, $4, $5)',
      [randomUUID(), organization, id, day(n), 80 + n / 4],
    );
  }
});

const get = (kind: string, body?: object) => catalog.post(`/products/${id}/${kind}-history`, body);

test('an entry of the enrichment history has exactly the documented fields', async () => {
  const entry = {
    id: anId,
    productId: id,
    enrichedAt: day(12).toISOString(),
    attributes: { colour: { ...colour, value: 'Red 12' } },
  };
  expect(await get('enrichment', { limit: 1 })).toEqual(
    ok({ history: [entry], pagination: { page: 1, limit: 1, total: 13, totalPages: 13 } }),
  );
});

test('an entry of the validation history has exactly the documented fields', async () => {
  const entry = { id: anId, productId: id, validatedAt: aTime, overallScore: 83 };
  expect(await get('validation', { limit: 1 })).toEqual(
    ok({ history: [entry], pagination: { page: 1, limit: 1, total: 13, totalPages: 13 } }),
  );
});

describe.each([
  ['enrichment', 'enrichedAt'],
  ['validation', 'validatedAt'],
])('the %s history', (kind, time) => {
  test('comes newest first, ten a page', async () => {
    const pages = [(await get(kind)).body.data, (await get(kind, { page: 2 })).body.data];
    expect(pages[0].pagination).toEqual({ page: 1, limit: 10, total: 13, totalPages: 2 });
    const times = pages.flatMap((page) => page.history.map((entry: Record<string, string>) => entry[time]));
    expect(times).toEqual([12, 11, 10, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => day(n).toISOString()));
    expect((await get(kind, { page: 3 })).body.data.history).toEqual([]);
  });

  test('is empty for a product without entries', async () => {
    const other = await catalog.create({ sku: `none ${kind}` });
    const answer = await catalog.post(`/products/${other}/${kind}-history`);
    expect(answer).toEqual(ok({ history: [], pagination: { page: 1, limit: 10, total: 0, totalPages: 0 } }));
  });

  test('is invisible to another organization', async () => {
    const other = await openCatalog();
    expect(await other.post(`/products/${id}/${kind}-history`)).toEqual(notFound);
  });

  test.each([
    [{ page: 0 }, 'page must be at least 1'],
    [{ limit: 0 }, 'limit must be at least 1'],
    [{ limit: 101 }, 'limit must be at most 100'],
    [{ limit: '10' }, 'limit must be an integer'],
  ])('%j is rejected', async (body, fault) => {
    expect(await get(kind, body)).toEqual(invalid(fault));
  });
});
