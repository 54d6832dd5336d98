import { seedCatalog } from '../support/enrichment.ts';

const cursor = (values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
const ID = '0199a000-0000-7000-8000-000000000001';
const products = (after: string) => `{ products(after: "${after}") { nodes { id } } }`;
const usage = (period: string) => `{ creditUsage(by: day, ${period}) { total } }`;

test.each([
  ['an empty id', '{ product(id: "") { id } }', 'NOT_FOUND'],
  ['an id of another form', '{ product(id: "x") { id } }', 'NOT_FOUND'],
  ['two keys', `{ product(id: "${ID}", sku: "A") { id } }`, 'INVALID_INPUT'],
  ['a period in the year 0', usage('since: "0000-01-01T00:00:00Z", until: "0000-02-01T00:00:00Z"'), 'INVALID_INPUT'],
  ['a period that starts before the year 1', usage('until: "0001-01-05T00:00:00Z"'), 'INVALID_INPUT'],
  ['a period after the year 9999', usage('until: "9999-12-31T23:59:59-23:59"'), 'INVALID_INPUT'],
  ['a cursor with an impossible time zone', products(cursor(['2026-01-01T00:00:00+23:00', ID])), 'INVALID_INPUT'],
  ['a cursor with February 31', products(cursor(['2026-02-31T00:00:00+00:00', ID])), 'INVALID_INPUT'],
  ['a cursor with too few values', products(cursor(['2026-01-01T00:00:00+00:00'])), 'INVALID_INPUT'],
  ['a cursor that is no JSON', products('@@'), 'INVALID_INPUT'],
])('%s is refused with a clear error', async (_, query, code) => {
  const { api } = await seedCatalog([]);
  expect(await api.refusal(query)).toMatchObject({ code, message: expect.any(String) });
});
