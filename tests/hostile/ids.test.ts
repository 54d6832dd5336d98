import { randomUUID } from 'node:crypto';
import { expectRefusal, openAttacker } from './attacker.ts';

let attacker: Awaited<ReturnType<typeof openAttacker>>;
beforeAll(async () => {
  attacker = await openAttacker();
});

const shapes: [name: string, id: string][] = [
  ['nothing', ''],
  ['a space', '%20'],
  ['a NUL', '%00'],
  ['a NUL within an id', `${randomUUID()}%00`],
  ['a line break', 'a%0d%0ab'],
  ['a broken escape', '%zz'],
  ['half an escape', '%'],
  ['bytes that are no UTF-8', '%ff%fe'],
  ['a way up', '..%2f..%2forganizations'],
  ['a slash', 'a%2fb'],
  ['a quote', "'%20or%20'1'='1"],
  ['a number', '1'],
  ['99999999999999999999', '99999999999999999999'],
  ['an unknown id', randomUUID()],
  ['the nil id', '00000000-0000-0000-0000-000000000000'],
  ['an id in braces', `%7b${randomUUID()}%7d`],
  ['an id without hyphens', randomUUID().replaceAll('-', '')],
  ['an id and more', `${randomUUID()}x`],
  ['10,000 letters', 'x'.repeat(10_000)],
  ['1,500 encoded letters', '%C3%A9'.repeat(1_500)],
  ['undefined', 'undefined'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
];
const endpoints: [endpoint: string, body: object][] = [
  ['/products/ID/get', {}],
  ['/products/ID/update', { sku: 'A', name: 'A' }],
  ['/products/ID/delete', {}],
  ['/products/ID/update-attributes', { attributes: {} }],
  ['/products/ID/enrichment-history', {}],
  ['/products/ID/validation-history', {}],
  ['/product-enrichment-jobs/ID/items/get', {}],
  ['/product-enrichment-jobs/ID/stop', {}],
];

describe.each(endpoints)('%s', (path, body) => {
  test.each(shapes)('with %s as the id is rejected', async (_, id) => {
    expectRefusal(await attacker.rest(path.replace('ID', id), JSON.stringify(body)), [400, 404]);
  });
});

test.each(shapes)('an organization named by %s is rejected', async (_, id) => {
  expectRefusal(await attacker.send(`/api/${id}/products/get`, '{}'), [400, 403, 404]);
});

test.each(shapes.slice(0, 1).concat(shapes.slice(5)))('ids in a body: %s', async (_, id) => {
  const known = /%/.test(id) ? decodeURIComponent(id.replace(/%(?![\da-f]{2})|%ff|%fe|%zz/gi, 'x')) : id;
  expectRefusal(
    await attacker.rest('/products/create', JSON.stringify({ sku: 'A', name: 'A', parentId: known || ' ' })),
    [400, 404],
  );
  expectRefusal(
    await attacker.rest('/product-enrichment-jobs/create', JSON.stringify({ productIds: [known], modelType: 'pro-v1' })),
    [400, 404],
  );
  expect(await attacker.stored()).toBe(0);
});
