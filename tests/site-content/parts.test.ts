import { bodiesOf } from '../support/deliveries.ts';
import {
  act,
  CREATE_AUTHOR,
  CREATE_CATEGORY,
  CREATE_COLLECTION,
  CREATE_ITEM,
  ITEMS,
  openContent,
  POSTS,
  UPDATE_AUTHOR,
  UPDATE_COLLECTION,
  UPDATE_POST,
} from './content.ts';

const { graph, acme, owner, user, make, createSite, siteId, workspaceId } = await openContent();
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

describe('posts', () => {
  const read = async (siteId: string, since: string) => (await owner.ask(POSTS, { siteId, since, perPage: 100 })).list;
  const fill = (site: string, author: string, category: string, count: number) =>
    graph.services.pool.query(
      `insert into site_content.posts (id, organization_id, site_id, title, slug, excerpt, content, author_id, category_ids, status, published_at)
       select gen_random_uuid(), $1, $2, 'x', 'p' || n, '', '', $3, array[$4::uuid], 'published', now() from generate_series(1, $5::int) n`,
      [acme.id, site, author, category, count],
    );
  const open = async () => {
    const id = await createSite();
    const author = await make(CREATE_AUTHOR, { siteId: id, input: { name: 'Ada', slug: 'ada' } });
    const category = await make(CREATE_CATEGORY, { siteId: id, input: { name: 'News', slug: 'news' } });
    return { id, author: author.id as string, category: category.id as string };
  };

  test('readers of more than 10,000 posts of an author read them again after the author changed', async () => {
    const { id, author, category } = await open();
    const other = await make(CREATE_AUTHOR, { siteId: id, input: { name: 'Bob', slug: 'bob' } });
    await fill(id, author, category, 10_001);
    let since = (await read(id, '0')).meta.cursor;
    await make(UPDATE_AUTHOR, { id: other.id, version: 1, input: { name: 'Bob B.' } });
    expect(await owner.refusal(POSTS, { siteId: id, since })).toBeUndefined();
    const changes: [text: string, variables: object][] = [
      [UPDATE_AUTHOR, { id: author, version: 1, input: { name: 'Ada L.' } }],
      ['mutation ($id: ID!) { made: updatePostCategory(id: $id, version: 1, input: { name: "Old" }) { id } }', { id: category }],
      [act('deletePostCategory'), { id: category }],
    ];
    for (const [text, variables] of changes) {
      await make(text, { ...variables });
      expect(await owner.refusal(POSTS, { siteId: id, since })).toMatch(/^UNPROCESSABLE: .* since=0/);
      const again = await read(id, '0');
      expect([again.nodes.length, again.nodes[0].author.name, again.meta.hasMore]).toEqual([100, 'Ada L.', true]);
      since = again.meta.cursor;
    }
  });

  test('a deleted category leaves posts and their events', async () => {
    const { id, author, category } = await open();
    await fill(id, author, category, 1);
    await graph.services.pool.query(
      `insert into webhooks.subscriptions (id, organization_id, surface, url, events, about_id, name)
       values (gen_random_uuid(), $1, 'site-content', 'https://hooks.example.com/', '{blog.post.updated}', $2, 'n')`,
      [acme.id, workspaceId],
    );
    const before = await read(id, '0');
    await make(act('deletePostCategory'), { id: category });
    const { nodes } = await read(id, before.meta.cursor);
    expect(nodes).toEqual([expect.objectContaining({ slug: 'p1', categories: [] })]);
    await make(UPDATE_POST, { id: nodes[0].id, version: 1, input: { title: 'y' } });
    const emitted = await bodiesOf(graph.services.pool);
    expect(emitted.map(({ data }) => data)).toEqual([expect.objectContaining({ id: nodes[0].id, categoryIds: [] })]);
  });
});
