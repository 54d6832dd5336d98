import { publishDue } from '../../subgraphs/site-content/content/schedule.ts';
import { bodiesOf } from '../support/deliveries.ts';
import {
  act,
  CREATE_AUTHOR,
  CREATE_CATEGORY,
  CREATE_COLLECTION,
  CREATE_FORM,
  CREATE_ITEM,
  CREATE_PAGE,
  CREATE_POST,
  ITEM,
  openContent,
  PAGES,
  UPDATE_COLLECTION,
  UPDATE_ITEM,
  UPDATE_PAGE,
  UPDATE_POST,
} from './content.ts';
import { FIND_SITE } from './operations.ts';

const { graph, acme, owner, member, user, make, siteId, workspaceId } = await openContent();
afterAll(() => graph.close());

const field = (name: string, type: string) => ({ name, type, required: false, options: [] });
const collection = (slug: string, fields: object[]) => make(CREATE_COLLECTION, { siteId, input: { name: slug, slug, fields } });
const item = (collectionId: string, slug: string, fields: object) => make(CREATE_ITEM, { collectionId, input: { slug, fields } });
const page = (slug: string) => make(CREATE_PAGE, { siteId, input: { title: slug, slug, content: '' } });
const subscribe = (events: string, about: string) =>
  graph.services.pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events, about_id, name)
     values (gen_random_uuid(), $1, 'site-content', 'https://hooks.example.com/', $2::text[], $3, 'n')`,
    [acme.id, events, about],
  );

test('readers see the redirects of published records only', async () => {
  const shown = await page('shown');
  const hidden = await page('hidden');
  const input = { title: 'x', slug: 'secret', excerpt: '', content: '', categoryIds: [] };
  const post = await make(CREATE_POST, { siteId, input });
  for (const { id, path } of [shown, hidden]) await make(UPDATE_PAGE, { id, version: 1, input: { path: `${path}-2` } });
  await make(UPDATE_POST, { id: post.id, version: 1, input: { slug: 'secret-2' } });
  await make(act('publishPage'), { id: shown.id });
  const text = 'query ($siteId: ID!) { redirects(siteId: $siteId) { nodes { address } meta { total } } }';
  const addresses = async (caller: typeof owner) => {
    const { nodes, meta } = (await caller.ask(text, { siteId })).redirects;
    expect(meta.total).toBe(nodes.length);
    return nodes.map(({ address }: { address: string }) => address);
  };
  expect(await addresses(owner)).toEqual(['/hidden', '/shown', 'secret']);
  expect(await addresses(member)).toEqual(['/shown']);
});

test('changes do not contain the ids of records that were never published', async () => {
  const start = (await member.ask(PAGES, { siteId, since: '0', perPage: 100 })).list;
  expect(start.removed).toEqual([]);
  const since = start.meta.cursor;
  const draft = await page('draft');
  const deleted = await page('deleted');
  const former = await page('former');
  await make(act('publishPage'), { id: former.id });
  await make(act('unpublishPage'), { id: former.id });
  await make(act('deletePage'), { id: deleted.id });
  expect((await member.ask(PAGES, { siteId, since })).list.removed).toEqual([{ id: former.id, deleted: true }]);
  const all = (await owner.ask(PAGES, { siteId, since, status: 'all' })).list;
  expect(all.removed).toEqual([{ id: deleted.id, deleted: true }]);
  expect(all.nodes.map(({ id }: { id: string }) => id)).toEqual([draft.id, former.id]);
});

test('ids in upper case find their records', async () => {
  const upper = siteId.toUpperCase();
  expect((await member.ask(FIND_SITE, { id: upper })).site.id).toBe(siteId);
  expect((await member.ask(PAGES, { siteId: upper })).list.meta.total).toBeGreaterThan(0);
});

test('values of removed fields are not in events, and their references do not block deletion', async () => {
  const fields = [field('name', 'text'), field('friend', 'reference')];
  const { id: collectionId } = await collection('people', [...fields, field('phone', 'text')]);
  const ada = await item(collectionId, 'ada', {});
  const values = { name: 'Bob', friend: ada.id, phone: '1' };
  const [bob, eve] = await Promise.all(['bob', 'eve'].map((slug) => item(collectionId, slug, values)));
  await make(UPDATE_COLLECTION, { id: collectionId, version: 1, input: { fields: [field('name', 'text')] } });
  await subscribe('{collection.item.updated,collection.item.deleted}', workspaceId);

  const unchanged = await make(UPDATE_ITEM, { id: bob.id, version: 1, input: {} });
  expect([unchanged.fields, unchanged.references, unchanged.version]).toEqual([{ name: 'Bob' }, [], 1]);

  const schedule = `mutation ($id: ID!, $publishAt: DateTime!) { scheduleCollectionItem(id: $id, publishAt: $publishAt) { ${ITEM} } }`;
  await owner.ask(schedule, { id: bob.id, publishAt: new Date(Date.now() + 3_600_000).toISOString() });
  const restore = `update site_content.items set publish_at = now(), fields = $2 where id = $1`;
  await graph.services.pool.query(restore, [bob.id, JSON.stringify(values)]);
  expect(await publishDue(graph.services)).toBe(1);
  await make(act('deleteCollectionItem'), { id: eve.id });
  const emitted = await bodiesOf(graph.services.pool);
  expect(emitted.map(({ data }) => data.fields)).toEqual([{ name: 'Bob' }, { name: 'Bob' }, { name: 'Bob' }]);

  await make(UPDATE_ITEM, { id: bob.id, version: 1, input: { fields: { name: 'B.' } } });
  expect((await make(act('deleteCollectionItem'), { id: ada.id })).id).toBe(ada.id);
});

test('a field may have the name of a property of all objects', async () => {
  const { id } = await collection('odd', [field('constructor', 'reference'), field('toString', 'multi-reference')]);
  const first = await item(id, 'first', {});
  const made = await item(id, 'second', { constructor: first.id });
  const text = `query ($siteId: ID!, $collectionId: ID!, $id: ID!) {
    collectionItem(siteId: $siteId, collectionId: $collectionId, id: $id) {
      one: references(field: "constructor", status: all) { id } none: references(field: "toString", status: all) { id }
    }
  }`;
  const { collectionItem } = await owner.ask(text, { siteId, collectionId: id, id: made.id });
  expect(collectionItem).toEqual({ one: [{ id: first.id }], none: [] });
});

test('the rich text of an item is limited as a whole', async () => {
  const { id } = await collection('long', [field('a', 'rich-text'), field('b', 'rich-text')]);
  const made = await item(id, 'long', { a: 'x'.repeat(600_000), b: '<i onclick="x()">y</i>' });
  expect(made.fields.b).toBe('<i>y</i>');
  const input = { fields: { b: 'x'.repeat(500_000) } };
  const refusal = 'INVALID_INPUT: fields must have at most 1000000 characters of rich text';
  expect(await owner.refusal(UPDATE_ITEM, { id: made.id, version: 1, input })).toBe(refusal);
  const deep = { fields: { b: '<b>'.repeat(1_001) } };
  expect(await owner.refusal(UPDATE_ITEM, { id: made.id, version: 1, input: deep })).toMatch(/^INVALID_INPUT: HTML must have/);
});

test('only editors learn whether the address of a webhook is reachable', async () => {
  const create = 'mutation ($input: NewSiteWebhook!) { createSiteWebhook(input: $input) { id } }';
  const input = { workspaceId, name: 'x', url: 'https://169.254.169.254/', events: ['page.updated'] };
  expect(await member.refusal(create, { input })).toMatch(/^FORBIDDEN/);
  expect(await owner.refusal(create, { input })).toMatch(/^INVALID_INPUT/);
  const { rows } = await graph.services.pool.query('select id from webhooks.subscriptions where about_id = $1', [workspaceId]);
  const update = 'mutation ($id: ID!, $input: SiteWebhookChange!) { updateSiteWebhook(id: $id, input: $input) { id } }';
  expect(await member.refusal(update, { id: rows[0].id, input: { url: input.url } })).toMatch(/^FORBIDDEN/);
});

test('the deletion of a workspace deletes its webhooks', async () => {
  const { id } = await make('mutation { made: createWorkspace(input: { name: "X", slug: "x" }) { id } }', {});
  await subscribe('{page.updated}', id);
  await make(act('deleteWorkspace'), { id: id.toUpperCase() });
  const { rows } = await graph.services.pool.query('select id from webhooks.subscriptions where about_id = $1', [id]);
  expect(rows).toEqual([]);
});

test('a repeated creation needs the right to edit, like the first one', async () => {
  const { id: collectionId } = await collection('repeated', [field('name', 'text')]);
  const rights = (operation: string) =>
    make(`mutation ($workspaceId: ID!, $userId: ID!) { made: ${operation} }`, { workspaceId, userId: user.id });
  const { id } = await rights('addWorkspaceMember(workspaceId: $workspaceId, userId: $userId, role: admin) { id }');
  const editor = graph.caller(user.key, { 'idempotency-key': 'repeated' });
  const webhook = { workspaceId, name: 'x', url: 'https://93.184.215.14/', events: ['page.updated'] };
  const creations: [text: string, variables: object][] = [
    [CREATE_PAGE, { siteId, input: { title: 'x', slug: 'repeated', content: '' } }],
    [CREATE_FORM, { siteId, input: { name: 'repeated', fields: [{ ...field('name', 'text'), label: 'Name' }] } }],
    [CREATE_COLLECTION, { siteId, input: { name: 'x', slug: 'repeated-2', fields: [field('name', 'text')] } }],
    [CREATE_ITEM, { collectionId, input: { slug: 'x', fields: {} } }],
    [CREATE_POST, { siteId, input: { title: 'x', slug: 'repeated', excerpt: '', content: '', categoryIds: [] } }],
    [CREATE_AUTHOR, { siteId, input: { name: 'x', slug: 'repeated' } }],
    [CREATE_CATEGORY, { siteId, input: { name: 'x', slug: 'repeated' } }],
    ['mutation ($input: NewSiteWebhook!) { made: createSiteWebhook(input: $input) { id } }', { input: webhook }],
  ];
  for (const [text, variables] of creations) {
    const { made } = await editor.ask(text, { ...variables });
    expect((await editor.ask(text, { ...variables })).made).toEqual(made);
  }
  await make(act('removeWorkspaceMember'), { id });
  for (const [text, variables] of creations) expect(await editor.refusal(text, { ...variables })).toMatch(/^FORBIDDEN/);
});
