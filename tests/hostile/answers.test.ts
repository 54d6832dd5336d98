import { randomUUID } from 'node:crypto';
import { type Caller, caller } from '../support/client.ts';
import { type Gateway } from '../support/gateway.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { startGateway } from '../support/system.ts';

/** A heap that is too small for these responses. */
const NODE_OPTIONS = '--max-old-space-size=350';
const MEGABYTE = 1_000_000;

let gateway: Gateway;
let organization: Awaited<ReturnType<typeof seedOrganization>>;
let me: Caller;
let parentId: string;

beforeAll(async () => {
  gateway = await startGateway({ NODE_OPTIONS });
  organization = await seedOrganization();
  me = caller(organization.key, { url: gateway.url });
  parentId = randomUUID();
  const db = database();
  await db.query(
    `insert into catalog.products (id, organization_id, sku, name, is_parent, attributes) values ($1, $2, 'P', 'Parent', true, ${textOf(MEGABYTE)})`,
    [parentId, organization.id],
  );
  await db.query(
    `insert into catalog.products (id, organization_id, sku, name, parent_id)
     select gen_random_uuid(), $1, 'V' || n, 'Variant', $2 from generate_series(1, 1000) n`,
    [organization.id, parentId],
  );
});
afterAll(() => gateway.stop());

const textOf = (bytes: number) =>
  `jsonb_build_object('k', jsonb_build_object('attributeId', null, 'attributeName', 'k', 'attributeType', 'text', 'value', repeat('x', ${bytes})))`;

const ask = (query: string, variables = {}) => me.post('/graphql', { query, variables });
/** Milliseconds, and what the work returned. */
async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const started = performance.now();
  const result = await work();
  return [performance.now() - started, result];
}
const thousand = () => ask('query ($id: ID!) { product(id: $id) { variants { id sku parent { name } } } }', { id: parentId });
const refused = (code: string, message: RegExp) => ({
  status: 400,
  body: { errors: [{ message: expect.stringMatching(message), extensions: { code } }] },
});
const tooDear = refused('INVALID_INPUT', /^The operation costs \d+, more than the maximum of 250000/);
const tooLarge = refused('LIMIT_REACHED', /^The response is larger than 32 MiB/);

test.each([
  ['the variants of the parent of each variant', 'variants { parent { variants { id } } }'],
  ['one level deeper', 'variants { parent { variants { parent { variants { id } } } } }'],
])('%s cost their maximum length', async (_, selection) => {
  const query = `query ($id: ID!) { product(id: $id) { ${selection} } }`;
  const [allowed] = await timed(thousand);
  const [refusal, answer] = await timed(() => ask(query, { id: parentId }));
  expect(answer).toMatchObject(tooDear);
  // A million rows would take a thousand times as long.
  expect(refusal).toBeLessThan(5 * allowed);
});

test('a thousand variants are returned', async () => {
  const { body } = await thousand();
  expect(body.data.product.variants).toHaveLength(1_000);
  expect(body.data.product.variants[0]).toMatchObject({ sku: 'V1', parent: { name: 'Parent' } });
});

test('a large value a thousand times in one response is rejected during serialization', async () => {
  const aliases = Array.from({ length: 20 }, (_, at) => `a${at}: product(id: $id) { attributes }`).join(' ');
  const [twenty, { status }] = await timed(() => ask(`query ($id: ID!) { ${aliases} }`, { id: parentId }));
  expect(status).toBe(200);
  const query = 'query ($id: ID!) { product(id: $id) { variants { parent { attributes } } } }';
  const [refusal, answer] = await timed(() => ask(query, { id: parentId }));
  expect(answer).toMatchObject(tooLarge);
  // All of them would take 50 times as long.
  expect(refusal).toBeLessThan(15 * twenty);
});

describe('428 MB of attributes from before their limit', () => {
  let old: Awaited<ReturnType<typeof seedOrganization>>;
  const query = '{ products(limit: 100) { nodes { id attributes } } }';
  beforeAll(async () => {
    old = await seedOrganization();
    const db = database();
    await db.query(
      `insert into catalog.products (id, organization_id, sku, name, attributes)
       values (gen_random_uuid(), $1, 'S', 'Old', ${textOf(9.5 * MEGABYTE)})`,
      [old.id],
    );
    // Copies need neither be compressed again nor read by triggers.
    await db.query(
      `begin;
       set local session_replication_role = replica;
       insert into catalog.products (id, organization_id, sku, name, attributes)
       select gen_random_uuid(), organization_id, 'S' || n, 'Old', attributes from catalog.products, generate_series(2, 45) n where organization_id = '${old.id}';
       commit`,
    );
  });

  test('are rejected while they are read', async () => {
    const { post } = caller(old.key, { url: gateway.url });
    const [two] = await timed(() => post('/graphql', { query: query.replace('100', '2') }));
    const [refusal, answer] = await timed(() => post('/graphql', { query }));
    expect(answer).toMatchObject(tooLarge);
    // All of them would take 22 times as long.
    expect(refusal).toBeLessThan(10 * two);
  });

  test('the same over WebSocket', async () => {
    const answers = caller(old.key, { url: gateway.url }).subscribe(query);
    const { value } = await answers.next();
    expect(value).toMatchObject({ errors: [{ extensions: { code: 'LIMIT_REACHED' } }] });
    await answers.return?.();
  });

  test('a page of them is returned', async () => {
    const { status, body } = await caller(old.key, { url: gateway.url }).post('/graphql', { query: query.replace('100', '2') });
    expect(status).toBe(200);
    expect(body.data.products.nodes[1].attributes.k.value).toHaveLength(9.5 * MEGABYTE);
  });
});

test('REST rejects an oversized response in its documented form', async () => {
  await database().query(
    `insert into catalog.enrichment_history (id, organization_id, product_id, attributes)
     select gen_random_uuid(), $1, $2, ${textOf(MEGABYTE)} from generate_series(1, 60) n`,
    [organization.id, parentId],
  );
  const path = `/api/${organization.slug}/products/${parentId}/enrichment-history`;
  const { status, body } = await me.post(path, { limit: 100 });
  expect([status, body]).toEqual([
    400,
    { success: false, message: 'The response is larger than 32 MiB: request fewer fields or shorter lists' },
  ]);
  expect((await me.post(path, { limit: 5 })).status).toBe(200);
});

test('lists that are longer than their cost assumed are refused while they are made', async () => {
  const { id, slug, key } = await seedOrganization();
  const db = database();
  await db.query(
    `insert into catalog.attributes (id, organization_id, name, slug, type)
     select gen_random_uuid(), $1, 'a' || n, 'a' || n, 'text' from generate_series(1, 200) n`,
    [id],
  );
  await db.query(
    `insert into catalog.attribute_sets (id, organization_id, name) select gen_random_uuid(), $1, 's' || n from generate_series(1, 300) n`,
    [id],
  );
  await db.query(
    `insert into catalog.attribute_set_attributes (attribute_set_id, attribute_id, organization_id, "order")
     select s.id, a.id, $1, 0 from catalog.attribute_sets s join catalog.attributes a using (organization_id) where organization_id = $1`,
    [id],
  );
  const { post } = caller(key, { url: gateway.url });
  const query = '{ attributeSets { attributeSetAttributes { order attribute { id name slug type prompt isActive } } } }';
  const message = 'The response has more than 500000 values: request fewer fields or shorter lists';
  expect(await post('/graphql', { query })).toMatchObject({
    status: 400,
    body: { errors: [{ message, extensions: { code: 'LIMIT_REACHED' } }] },
  });
  const { status, body } = await post(`/api/${slug}/attribute-sets`);
  expect([status, body]).toEqual([400, { success: false, message }]);
});

test('the process survives all of them', async () => {
  expect((await me.get('/healthz')).status).toBe(200);
});
