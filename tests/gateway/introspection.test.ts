import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { caller } from '../support/client.ts';
import { openGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';

let open: Awaited<ReturnType<typeof openGateway>>;
beforeAll(async () => {
  open = await openGateway({ INTROSPECTION: 'true' });
});
afterAll(() => open.stop());

/** The shared gateway has the default configuration. */
const closed = () => ({ url: process.env.TEST_URL! });

const ask = async ({ url }: { url: string }, query: string) => {
  const { key } = await seedOrganization();
  return (await caller(key, { url }).post('/graphql', { query })).body;
};
const page = async ({ url }: { url: string }) =>
  (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).headers.get('content-type');

test('a gateway with default configuration exposes no schema', async () => {
  for (const query of ['{ __schema { types { name } } }', '{ __type(name: "Product") { name } }']) {
    expect((await ask(closed(), query)).errors[0]).toMatchObject({ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
  }
  expect(JSON.stringify(await ask(closed(), '{ organisation { id } }'))).not.toContain('Did you mean');
  expect(await page(closed())).not.toContain('text/html');
  expect(await ask(closed(), '{ __typename organization { __typename } }')).toMatchObject({ data: { __typename: 'Query' } });
});

test('INTROSPECTION enables introspection', async () => {
  expect((await ask(open, '{ __type(name: "Product") { name } }')).data).toEqual({ __type: { name: 'Product' } });
  expect(JSON.stringify(await ask(open, '{ organisation { id } }'))).toContain('Did you mean');
  expect(await page(open)).toContain('text/html');
});

test('the introspection of tools returns the whole schema', async () => {
  const { data, errors } = await ask(open, getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }));
  expect(errors).toBeUndefined();
  expect(buildClientSchema(data).getMutationType()!.getFields()).toHaveProperty('updateBrandValues');
});

test('descriptions include the limits, because introspection shows no directives', async () => {
  const { data } = await ask(open, '{ __type(name: "AgentChange") { inputFields { name description } } }');
  expect(data.__type.inputFields).toContainEqual({
    name: 'suggestedMessages',
    description: 'Quick replies that visitors see before the first message. At most 20 entries. 1 to 500 characters.',
  });
});
