import { bodiesOf } from '../support/deliveries.ts';
import {
  act,
  CREATE_COLLECTION,
  CREATE_ITEM,
  CREATE_PAGE,
  CREATE_POST,
  openContent,
  PAGE,
  PAGES,
  UPDATE_ITEM,
  UPDATE_PAGE,
  UPDATE_POST,
} from './content.ts';

const { graph, acme, owner, member, user, workspaceId, make, createSite, siteId } = await openContent();
afterAll(() => graph.close());
const stranger = graph.caller((await graph.seed()).key);
const NO_RIGHT = 'FORBIDDEN: This needs the role admin in the organization or the workspace.';

const page = (slug: string, more: object = {}) => make(CREATE_PAGE, { siteId, input: { title: slug, slug, content: '', ...more } });

describe('pages', () => {
  test('a page is a draft that only editors see, until it is published', async () => {
    const draft = await page('about', { content: '<p onclick="x()">Hi<script>alert(1)</script></p>' });
    expect(draft).toMatchObject({ path: '/about', content: '<p>Hi</p>', status: 'draft', publishedAt: null, version: 1 });
    const find = `query ($siteId: ID!, $id: ID!) { page(siteId: $siteId, id: $id) { ${PAGE} } }`;
    expect(await member.refusal(find, { siteId, id: draft.id })).toBe('NOT_FOUND: Page not found');
    expect((await owner.ask(find, { siteId, id: draft.id })).page).toEqual(draft);
    expect((await member.ask(PAGES, { siteId })).list.nodes).toEqual([]);
    expect(await member.refusal(PAGES, { siteId, status: 'all' })).toBe(
      'FORBIDDEN: Only owners and admins may read content that is not published.',
    );
    const published = await make(act('publishPage', PAGE), { id: draft.id });
    expect(published).toMatchObject({ status: 'published', publishedAt: expect.any(String), version: 1 });
    expect((await member.ask(find, { siteId, id: draft.id })).page).toEqual(published);
    expect(await stranger.refusal(find, { siteId, id: draft.id })).toBe('NOT_FOUND: Page not found');
    expect(await stranger.refusal(PAGES, { siteId })).toBe('NOT_FOUND: Site not found');
    expect(await owner.refusal(find, { siteId: await createSite(), id: draft.id })).toBe('NOT_FOUND: Page not found');
  });

  test('an edit of an outdated version is refused with the current one', async () => {
    const { id } = await page('contested');
    const edits = await Promise.all(
      ['a', 'b', 'c', 'd'].map((title) => owner.refusal(UPDATE_PAGE, { id, version: 1, input: { title } })),
    );
    expect(edits.filter((refusal) => refusal === undefined)).toHaveLength(1);
    expect(new Set(edits)).toEqual(
      new Set([undefined, 'CONFLICT: The record has changed since this version. The current version is 2.']),
    );
    expect(await make(UPDATE_PAGE, { id, version: 2, input: { title: 'last' } })).toMatchObject({ title: 'last', version: 3 });
  });

  test('an update without a field changes nothing', async () => {
    const { id } = await page('calm');
    expect(await make(UPDATE_PAGE, { id, version: 1, input: {} })).toMatchObject({ version: 1 });
    expect(await owner.refusal(UPDATE_PAGE, { id, version: 2, input: {} })).toMatch(/^CONFLICT/);
    expect(await make(UPDATE_PAGE, { id, version: 1, input: { title: 'new' } })).toMatchObject({ version: 2 });
  });

  test('a path is unique, and a former path becomes a redirect until another page takes it', async () => {
    const { id } = await page('old');
    await page('taken');
    expect(await owner.refusal(UPDATE_PAGE, { id, version: 1, input: { path: '/taken' } })).toBe(
      'CONFLICT: A page with the path /taken already exists in the site.',
    );
    await make(UPDATE_PAGE, { id, version: 1, input: { path: '/new' } });
    const redirects = async () =>
      (
        await owner.ask('query ($siteId: ID!) { redirects(siteId: $siteId) { nodes { kind address recordId } } }', { siteId })
      ).redirects.nodes.filter(({ kind }: { kind: string }) => kind === 'page');
    expect(await redirects()).toEqual([{ kind: 'page', address: '/old', recordId: id }]);
    await page('old');
    expect(await redirects()).toEqual([]);
    await make(UPDATE_PAGE, { id, version: 2, input: { path: '/newer' } });
    await make(act('deletePage'), { id });
    expect(await redirects()).toEqual([]);
    for (const path of ['no-slash', '/A', '//', '/a/', '/a b', '/ä', '/..', '/.', '/a/../b', '/a/.'])
      expect(await owner.refusal(CREATE_PAGE, { siteId, input: { title: 'x', slug: 'x', content: '', path } })).toMatch(
        /^INVALID_INPUT: path/,
      );
  });

  test('readers see the redirects of published records, also after their status changes', async () => {
    const site = await createSite();
    const REDIRECTS = 'query ($siteId: ID!) { redirects(siteId: $siteId) { nodes { address } meta { total } } }';
    const seen = async (by: typeof owner) => {
      const { nodes, meta } = (await by.ask(REDIRECTS, { siteId: site })).redirects;
      expect(meta.total).toBe(nodes.length);
      return nodes.map(({ address }: { address: string }) => address);
    };
    const input = { title: 'Moved', slug: 'moved', content: '', path: '/one' };
    const { id } = await make(CREATE_PAGE, { siteId: site, input });
    await make(UPDATE_PAGE, { id, version: 1, input: { path: '/two' } });
    expect([await seen(owner), await seen(member)]).toEqual([['/one'], []]);
    const { version } = await make(act('publishPage', 'version'), { id });
    await make(UPDATE_PAGE, { id, version, input: { path: '/three' } });
    expect([await seen(owner), await seen(member)]).toEqual([
      ['/one', '/two'],
      ['/one', '/two'],
    ]);
    await make(act('unpublishPage'), { id });
    expect([await seen(owner), await seen(member)]).toEqual([['/one', '/two'], []]);
    await make(act('deletePage'), { id });
    expect([await seen(owner), await seen(member)]).toEqual([[], []]);
  });

  test('a member edits the workspaces in which they are an admin', async () => {
    expect(await member.refusal(CREATE_PAGE, { siteId, input: { title: 'x', slug: 'mine', content: '' } })).toBe(NO_RIGHT);
    const add =
      'mutation ($workspaceId: ID!, $userId: ID!, $role: Role!) { made: addWorkspaceMember(workspaceId: $workspaceId, userId: $userId, role: $role) { id name email role } }';
    const added = await make(add, { workspaceId, userId: user.id, role: 'member' });
    expect(added).toEqual({ id: added.id, name: expect.any(String), email: user.email, role: 'member' });
    expect(await owner.refusal(add, { workspaceId, userId: user.id, role: 'member' })).toMatch(/^CONFLICT/);
    const elsewhere = await graph.seed();
    expect(await owner.refusal(add, { workspaceId, userId: elsewhere.owner.id, role: 'admin' })).toBe('NOT_FOUND: User not found');
    expect(await member.refusal(CREATE_PAGE, { siteId, input: { title: 'x', slug: 'mine', content: '' } })).toBe(NO_RIGHT);
    const promote = 'mutation ($id: ID!) { made: updateWorkspaceMember(id: $id, role: admin) { role } }';
    expect(await member.refusal(promote, { id: added.id })).toBe(NO_RIGHT);
    await make(promote, { id: added.id });
    expect((await member.ask(CREATE_PAGE, { siteId, input: { title: 'x', slug: 'mine', content: '' } })).made.status).toBe('draft');
    expect((await member.ask(PAGES, { siteId, status: 'draft' })).list.meta.total).toBeGreaterThan(0);
    await make(act('removeWorkspaceMember'), { id: added.id });
    expect(await member.refusal(PAGES, { siteId, status: 'all' })).toMatch(/^FORBIDDEN/);
  });
});

test('each change of a record emits its documented event with the record, for subscribers of its workspace', async () => {
  const siteId = await createSite();
  const { rows: known } = await graph.services.pool.query('select id from webhooks.deliveries where organization_id = $1', [
    acme.id,
  ]);
  const events = [
    'site.published',
    ...['page', 'collection.item'].flatMap((kind) => [`${kind}.created`, `${kind}.updated`, `${kind}.deleted`]),
  ];
  events.push('blog.post.published', 'blog.post.updated', 'blog.post.deleted');
  await graph.services.pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events, about_id, name)
     values (gen_random_uuid(), $1, 'site-content', 'https://hooks.example.com/', $2, $3, 'n')`,
    [acme.id, events, workspaceId],
  );
  const page = await make(CREATE_PAGE, { siteId, input: { title: 'Page', slug: 'page', content: '' } });
  await make(UPDATE_PAGE, { id: page.id, version: 1, input: { title: 'Page 2' } });
  await make(act('publishPage'), { id: page.id });
  await make(act('deletePage'), { id: page.id });
  const fields = [{ name: 'title', type: 'text', required: false, options: [] }];
  const { id: collectionId } = await make(CREATE_COLLECTION, { siteId, input: { name: 'c', slug: 'c', fields } });
  const item = await make(CREATE_ITEM, { collectionId, input: { slug: 'item', fields: { title: 'A' } } });
  await make(UPDATE_ITEM, { id: item.id, version: 1, input: { fields: { title: 'B' } } });
  await make(act('publishCollectionItem'), { id: item.id });
  await make(act('deleteCollectionItem'), { id: item.id });
  const input = { title: 'Post', slug: 'post', excerpt: '', content: '', categoryIds: [] };
  const post = await make(CREATE_POST, { siteId, input });
  await make(UPDATE_POST, { id: post.id, version: 1, input: { title: 'Post 2' } });
  await make(act('publishPost'), { id: post.id });
  await make(act('deletePost'), { id: post.id });
  await make(act('publishSite'), { id: siteId });

  const emitted = await bodiesOf(graph.services.pool, 'd.organization_id = $1 and not d.id = any($2)', [
    acme.id,
    known.map(({ id }) => id),
  ]);
  expect(emitted.map(({ event, data }) => [event, data.status])).toEqual([
    ['page.created', 'draft'],
    ['page.updated', 'draft'],
    ['page.updated', 'published'],
    ['page.deleted', 'published'],
    ['collection.item.created', 'draft'],
    ['collection.item.updated', 'draft'],
    ['collection.item.updated', 'published'],
    ['collection.item.deleted', 'published'],
    ['blog.post.updated', 'draft'],
    ['blog.post.published', 'published'],
    ['blog.post.deleted', 'published'],
    ['site.published', 'published'],
  ]);
  expect(emitted[0]).toEqual({
    id: expect.any(String),
    event: 'page.created',
    organizationId: acme.id,
    agentId: null,
    occurredAt: expect.any(String),
    data: expect.objectContaining({ id: page.id, siteId, title: 'Page', slug: 'page', path: '/page' }),
  });
});
