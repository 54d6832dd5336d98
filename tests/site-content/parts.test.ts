import { act, CREATE_COLLECTION, CREATE_ITEM, ITEMS, openContent, UPDATE_COLLECTION } from './content.ts';

const { graph, acme, owner, user, make, siteId, workspaceId } = await openContent();
afterAll(() => graph.close());

const field = (name: string) => ({ name, type: 'text', required: false, options: [] });

test('a reader of changes gets the items that a removed or restored field changes, and no others', async () => {
  const create = { siteId, input: { name: 'People', slug: 'people', fields: [field('name'), field('phone')] } };
  const { id: collectionId } = await make(CREATE_COLLECTION, create);
  for (const [slug, fields] of Object.entries({ ada: { name: 'Ada', phone: '1' }, bob: { name: 'Bob' } })) {
    const { id } = await make(CREATE_ITEM, { collectionId, input: { slug, fields } });
    await make(act('publishCollectionItem'), { id });
  }
  let since = '0';
  const changes = async () => {
    const { list } = await owner.ask(ITEMS, { siteId, collectionId, since });
    since = list.meta.cursor;
    return list.nodes.map(({ slug, fields }: { slug: string; fields: object }) => [slug, fields]);
  };
  expect(await changes()).toHaveLength(2);
  await make(UPDATE_COLLECTION, { id: collectionId, version: 1, input: { fields: [field('name')] } });
  expect(await changes()).toEqual([['ada', { name: 'Ada' }]]);
  await make(UPDATE_COLLECTION, { id: collectionId, version: 2, input: { fields: [field('phone'), field('name')] } });
  expect(await changes()).toEqual([['ada', { name: 'Ada', phone: '1' }]]);
  await make(UPDATE_COLLECTION, { id: collectionId, version: 3, input: { name: 'Persons' } });
  expect(await changes()).toEqual([]);
});

test('readers of more than 10,000 items read them again after a field was removed', async () => {
  const create = { siteId, input: { name: 'Many', slug: 'many', fields: [field('name'), field('phone')] } };
  const { id: collectionId } = await make(CREATE_COLLECTION, create);
  await graph.services.pool.query(
    `insert into site_content.items (id, organization_id, site_id, collection_id, slug, fields, status, published_at)
     select gen_random_uuid(), $1, $2, $3, 'i' || n, '{"phone":"1"}', 'published', now() from generate_series(1, 10001) n`,
    [acme.id, siteId, collectionId],
  );
  const read = async (since: string) => (await owner.ask(ITEMS, { siteId, collectionId, since, perPage: 100 })).list;
  const before = (await read('0')).meta.cursor;
  await make(UPDATE_COLLECTION, { id: collectionId, version: 1, input: { fields: [field('name')] } });
  expect(await owner.refusal(ITEMS, { siteId, collectionId, since: before })).toMatch(/^UNPROCESSABLE: .* since=0/);
  const second = await read((await read('0')).meta.cursor);
  expect([second.nodes.length, second.nodes[0].fields, second.meta.hasMore]).toEqual([100, {}, true]);
});

test('a reader of changes gets the members of a workspace whose names changed', async () => {
  const add = `mutation ($workspaceId: ID!, $userId: ID!) {
    made: addWorkspaceMember(workspaceId: $workspaceId, userId: $userId, role: member) { id }
  }`;
  const { id } = await make(add, { workspaceId, userId: user.id });
  const text = `query ($workspaceId: ID!, $since: String) {
    list: workspaceMembers(workspaceId: $workspaceId, since: $since) { nodes { id name } meta { cursor } }
  }`;
  const read = async (since: string) => (await owner.ask(text, { workspaceId, since })).list;
  const { meta } = await read('0');
  await graph.services.pool.query('update identity.users set name = $2 where id = $1', [user.id, 'Grace']);
  const then = await read(meta.cursor);
  expect(then.nodes).toEqual([{ id, name: 'Grace' }]);
  await graph.services.pool.query('update identity.users set name = name where id = $1', [user.id]);
  expect((await read(then.meta.cursor)).nodes).toEqual([]);
});
