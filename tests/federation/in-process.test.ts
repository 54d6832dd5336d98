import { caller } from '../support/client.ts';
import { everything, expected, partly, refusedPart, seedEverywhere } from './across.ts';

test('one query reads an organization from all three subgraphs', async () => {
  const seeded = await seedEverywhere();
  expect(await caller(seeded.key).graphql(everything, { sku: 'LAMP' })).toEqual(expected(seeded));
});

test('a field that one subgraph rejects is null with an error path, and the others respond', async () => {
  const { addMember, id } = await seedEverywhere();
  const { key } = await addMember('member');
  const { status, body } = await caller(key).post('/graphql', { query: partly });
  expect(status).toBe(200);
  expect(body.data).toEqual({
    organization: { id, workspaces: { nodes: [{ slug: 'shop' }] }, agents: null, products: { nodes: [{ sku: 'LAMP-1' }] } },
  });
  expect(body.errors).toMatchObject([{ path: refusedPart.path, extensions: { code: refusedPart.code } }]);
});

test('a list of organizations combines fields of all subgraphs', async () => {
  const [first, second] = await Promise.all([seedEverywhere(), seedEverywhere()]);
  await second!.join(first!.owner.id, 'owner');
  // A new key, because the caller of a used key is cached until the notification of the new membership arrives.
  const key = await first!.addKey(first!.owner.id);
  const { organizations } = await caller(key).graphql(
    '{ organizations { slug agents { name } sites(status: all) { meta { total } } products { nodes { sku } } } }',
  );
  const each = { agents: [{ name: 'Support desk' }], sites: { meta: { total: 1 } }, products: { nodes: [{ sku: 'LAMP-1' }] } };
  expect(organizations).toEqual(
    [first!, second!].map(({ slug }) => ({ slug, ...each })).sort((a, b) => (a.slug < b.slug ? -1 : 1)),
  );
});
