import { caller } from '../support/client.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';

let closed: Gateway;
let open: Gateway;
beforeAll(async () => {
  [closed, open] = await Promise.all([startGateway(), startGateway({ INTROSPECTION: 'true' })]);
});
afterAll(() => Promise.all([closed.stop(), open.stop()]));

const ask = async (gateway: Gateway, query: string) => {
  const { key } = await seedOrganization();
  return (await caller(key, { url: gateway.url }).post('/graphql', { query })).body;
};
const page = async ({ url }: Gateway) =>
  (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).headers.get('content-type');

test('a gateway with default configuration exposes no schema', async () => {
  for (const query of ['{ __schema { types { name } } }', '{ __type(name: "Product") { name } }']) {
    expect((await ask(closed, query)).errors[0]).toMatchObject({ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
  }
  expect(JSON.stringify(await ask(closed, '{ organisation { id } }'))).not.toContain('Did you mean');
  expect(await page(closed)).not.toContain('text/html');
  expect(await ask(closed, '{ __typename organization { __typename } }')).toMatchObject({ data: { __typename: 'Query' } });
});

test('INTROSPECTION enables introspection', async () => {
  expect((await ask(open, '{ __type(name: "Product") { name } }')).data).toEqual({ __type: { name: 'Product' } });
  expect(JSON.stringify(await ask(open, '{ organisation { id } }'))).toContain('Did you mean');
  expect(await page(open)).toContain('text/html');
});
