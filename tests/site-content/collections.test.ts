import { jest } from '@jest/globals';
import pg from 'pg';
import {
  act,
  CREATE_AUTHOR,
  CREATE_CATEGORY,
  CREATE_COLLECTION,
  CREATE_ITEM,
  CREATE_PAGE,
  CREATE_POST,
  ITEMS,
  openContent,
  POSTS,
  UPDATE_AUTHOR,
  UPDATE_COLLECTION,
  UPDATE_ITEM,
  UPDATE_POST,
} from './content.ts';

const { graph, owner, workspaceId, make, createSite, siteId } = await openContent();
afterAll(() => graph.close());
const stranger = graph.caller((await graph.seed()).key);

/**
 * The number of statements of an operation, after its key is cached. The process may run others in the background meanwhile, so it is
 * the least of three counts.
 */
async function statementsOf(text: string, variables: Record<string, unknown>): Promise<number> {
  await owner.ask(text, variables);
  const counts: number[] = [];
  for (let repeat = 0; repeat < 3; repeat++) {
    const spy = jest.spyOn(pg.Client.prototype, 'query');
    await owner.ask(text, variables);
    counts.push(spy.mock.calls.length);
    spy.mockRestore();
  }
  expect(Math.min(...counts)).toBeGreaterThan(0);
  return Math.min(...counts);
}

describe('collections', () => {
  const field = (name: string, type: string, more: object = {}) => ({ name, type, required: false, options: [], ...more });
  const collection = (slug: string, fields: object[], at = siteId) =>
    make(CREATE_COLLECTION, { siteId: at, input: { name: slug, slug, fields } });
  const item = (collectionId: string, slug: string, fields: object) => make(CREATE_ITEM, { collectionId, input: { slug, fields } });

  test('items have values of the types of their fields', async () => {
    const { id } = await collection('books', [
      field('title', 'text', { required: true }),
      field('blurb', 'rich-text'),
      field('pages', 'number'),
      field('printed', 'boolean'),
      field('date', 'date'),
      field('genre', 'option', { options: ['fact', 'fiction'] }),
      field('cover', 'image'),
    ]);
    const fields = {
      title: 'Ada',
      blurb: '<b>Good</b><img src="javascript:x">',
      pages: 3,
      printed: false,
      date: '2026-11-22',
      genre: 'fact',
      cover: 'https://example.com/a.png',
    };
    const { fields: stored } = await item(id, 'ada', fields);
    expect(stored).toEqual({ ...fields, blurb: '<b>Good</b>' });
    const long = '<b onclick="x()">Good</b>'.repeat(1_000);
    expect(await item(id, 'long', { title: 'Long', blurb: long })).toMatchObject({
      fields: { blurb: '<b>Good</b>'.repeat(1_000) },
    });
    const refused = (given: object) => owner.refusal(CREATE_ITEM, { collectionId: id, input: { slug: 'x', fields: given } });
    expect(await refused({ title: 'x', isbn: '1', x: 2 })).toBe(
      'INVALID_INPUT: fields.isbn is not a field of the collection; fields.x is not a field of the collection',
    );
    expect(await refused({ pages: 'three', genre: 'poem' })).toBe(
      'INVALID_INPUT: fields.title is required; fields.pages must be a valid number; fields.genre must be a valid option',
    );
    for (const wrong of [
      { cover: 'javascript:alert(1)' },
      { date: 'tomorrow' },
      { date: '2026-02-30' },
      { date: '2026-02-30T12:00:00Z' },
      { printed: 1 },
    ])
      expect(await refused({ title: 'x', ...wrong })).toMatch(/must be a valid/);
    expect(await refused({ title: 'x'.repeat(10_001) })).toBe('INVALID_INPUT: fields.title must be at most 10000 characters');
    expect(await refused({ title: 'x', cover: `https://a.example/${'x'.repeat(2_048)}` })).toMatch(
      /must be at most 2048 characters/,
    );
  });

  test('rich text of a field that is added meanwhile is cleaned, also if it equals a stored text', async () => {
    const { id } = await collection('notes', [field('note', 'text')], await createSite());
    const note = '<img src=x onerror=alert(1)>';
    const { id: itemId } = await item(id, 'first', { note });
    const change = await graph.services.pool.connect();
    await change.query('begin');
    await change.query(`select pg_advisory_xact_lock(hashtextextended('site content of ' || organization_id, 0))
                          from site_content.collections where id = '${id}'`);
    const update = make(UPDATE_ITEM, { id: itemId, version: 1, input: { fields: { body: note } } });
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await graph.services.pool.query(waiting)).rowCount === 0);
    const fields = JSON.stringify([field('note', 'text'), field('body', 'rich-text')]);
    await change.query('update site_content.collections set fields = $1 where id = $2', [fields, id]);
    await change.query('commit');
    change.release();
    expect((await update).fields).toEqual({ note, body: '' });
  });

  test('10,000 fields, repeated names and unknown types are refused', async () => {
    const refused = (fields: object[]) => owner.refusal(CREATE_COLLECTION, { siteId, input: { name: 'x', slug: 'x', fields } });
    expect(await refused(Array.from({ length: 10_000 }, (_, at) => field(`f${at}`, 'text')))).toBe(
      'INVALID_INPUT: fields must have at most 100 entries',
    );
    expect(await refused([field('a', 'text'), field('a', 'number')])).toMatch(/a appears twice/);
    expect(await refused([field('a', 'option')])).toMatch(/needs options/);
    expect(await refused([field('a', 'color')])).toMatch(/^INVALID_INPUT/);
  });

  test('references lead only to items of their collection and site, also in a cycle', async () => {
    const people = await collection('people', [field('friend', 'reference'), field('name', 'text')]);
    const teams = await collection('teams', [field('members', 'multi-reference', { collectionId: people.id })]);
    const ada = await item(people.id, 'ada', {});
    const bob = await item(people.id, 'bob', { friend: ada.id });
    await make(UPDATE_ITEM, { id: ada.id, version: 1, input: { fields: { friend: bob.id } } });
    const team = await item(teams.id, 'team', { members: [bob.id, ada.id.toUpperCase(), bob.id] });
    expect(team).toMatchObject({ fields: { members: [bob.id, ada.id] }, references: [{ slug: 'bob' }, { slug: 'ada' }] });

    const other = await createSite();
    const elsewhere = await collection('people', [field('friend', 'reference')], other);
    const foreign = await item(elsewhere.id, 'eve', {});
    const refused = (collectionId: string, fields: object) =>
      owner.refusal(CREATE_ITEM, { collectionId, input: { slug: 'x', fields } });
    for (const id of [foreign.id, team.id, workspaceId, 'no-id'])
      expect(await refused(people.id, { friend: id })).toBe('NOT_FOUND: Item not found');
    expect(await refused(teams.id, { members: [ada.id, team.id] })).toBe('NOT_FOUND: Item not found');
    expect(await stranger.refusal(CREATE_ITEM, { collectionId: people.id, input: { slug: 'x', fields: {} } })).toBe(
      'NOT_FOUND: Collection not found',
    );
    const toElsewhere = { name: 'x', slug: 'x', fields: [field('a', 'reference', { collectionId: elsewhere.id })] };
    expect(await owner.refusal(CREATE_COLLECTION, { siteId, input: toElsewhere })).toBe('NOT_FOUND: Collection not found');

    expect(await owner.refusal(act('deleteCollectionItem'), { id: ada.id })).toMatch(
      /^CONFLICT: The item .* refers to this item\.$/,
    );
    expect(await owner.refusal(act('deleteCollection'), { id: people.id })).toBe(
      'CONFLICT: The collection teams refers to this collection.',
    );
    const { list } = await owner.ask(ITEMS, { siteId, collectionId: people.id, status: 'all' });
    expect(list.nodes.find(({ slug }: { slug: string }) => slug === 'ada').references).toEqual([
      { slug: 'bob', fields: { friend: ada.id }, references: [{ slug: 'ada' }] },
    ]);
  });

  test('a reference keeps its collection, also when it is removed and the collection is deleted', async () => {
    const towns = await collection('towns', [field('name', 'text')]);
    const home = (collectionId?: string) => field('home', 'reference', { collectionId });
    const guests = await collection('guests', [field('name', 'text'), home(towns.id), field('friend', 'reference')]);
    const { id: town } = await item(towns.id, 'town', {});
    const { id: guest } = await item(guests.id, 'ada', { home: town, name: 'Ada' });
    const update = (version: number, fields: object[]) =>
      owner.refusal(UPDATE_COLLECTION, { id: guests.id, version, input: { fields } });
    const refused = 'CONFLICT: The collection of the field home cannot change.';
    expect(await update(1, [field('name', 'text'), home()])).toBe(refused);
    const sameFriend = field('friend', 'reference', { collectionId: guests.id });
    expect(await update(1, [field('name', 'text'), sameFriend])).toBeUndefined();

    expect((await make(act('deleteCollection'), { id: towns.id })).id).toBe(towns.id);
    expect(await update(2, [field('name', 'text'), home()])).toBe(refused);
    expect(await update(2, [field('name', 'text'), home(towns.id)])).toBe('NOT_FOUND: Collection not found');
    await make(UPDATE_ITEM, { id: guest, version: 1, input: { fields: { name: 'A.' } } });
    const { list } = await owner.ask(ITEMS, { siteId, collectionId: guests.id, status: 'all' });
    expect(list.nodes[0].fields).toEqual({ name: 'A.' });
    await make(act('deleteCollection'), { id: guests.id });
  });

  test('a removed field disappears from its items, and keeps its type', async () => {
    const made = await collection('drinks', [field('name', 'text'), field('price', 'number')]);
    const tea = await item(made.id, 'tea', { name: 'Tea', price: 2 });
    const update = (version: number, fields: object[]) =>
      owner.refusal(UPDATE_COLLECTION, { id: made.id, version, input: { fields } });
    expect(await update(1, [field('name', 'text')])).toBeUndefined();
    const shown = async () => (await owner.ask(ITEMS, { siteId, collectionId: made.id, status: 'all' })).list.nodes[0].fields;
    expect(await shown()).toEqual({ name: 'Tea' });
    expect(await update(2, [field('name', 'text'), field('price', 'text')])).toMatch(
      /^CONFLICT: The field price has the type number/,
    );
    expect(await owner.refusal(UPDATE_ITEM, { id: tea.id, version: 1, input: { fields: { price: 3 } } })).toMatch(
      /fields.price is not/,
    );
    expect(await update(2, [field('name', 'text'), field('price', 'number')])).toBeUndefined();
    expect(await shown()).toEqual({ name: 'Tea', price: 2 });
  });

  test('a page of 100 items with references, and one of 100 posts, takes at most three statements', async () => {
    const { id } = await collection('many', [field('next', 'reference')]);
    const author = await make(CREATE_AUTHOR, { siteId, input: { name: 'Ada', slug: 'ada-many' } });
    const first = await item(id, 'first', {});
    await graph.services.pool.query(
      `insert into site_content.items (id, organization_id, site_id, collection_id, slug, fields, refs, status, published_at)
       select gen_random_uuid(), organization_id, site_id, collection_id, 'item-' || n, jsonb_build_object('next', id), array[id], 'published', now()
         from site_content.items cross join generate_series(1, 150) n where id = $1`,
      [first.id],
    );
    await graph.services.pool.query(
      `insert into site_content.posts (id, organization_id, site_id, title, slug, excerpt, content, author_id, status, published_at)
       select gen_random_uuid(), organization_id, site_id, 'x', 'post-' || n, '', '', id, 'published', now()
         from site_content.authors cross join generate_series(1, 150) n where id = $1`,
      [author.id],
    );
    await make(act('publishCollectionItem'), { id: first.id });
    const variables = { siteId, collectionId: id, perPage: 100 };
    const { list } = await owner.ask(ITEMS, variables);
    expect(list.meta.total).toBe(151);
    expect(list.nodes).toHaveLength(100);
    // The selection follows references twice, which is one more statement.
    expect(await statementsOf(ITEMS, variables)).toBeLessThanOrEqual(4);
    expect(await statementsOf(ITEMS.replace(/references\(status: \$status\) \{ slug \}/, ''), variables)).toBeLessThanOrEqual(3);
    expect((await owner.ask(POSTS, { siteId, perPage: 100 })).list.nodes[0].author).toEqual({ name: 'Ada' });
    expect(await statementsOf(POSTS, { siteId, perPage: 100 })).toBeLessThanOrEqual(3);
  });
});

describe('blog', () => {
  test('a post has an author and categories of its site', async () => {
    const siteId = await createSite();
    const author = await make(CREATE_AUTHOR, { siteId, input: { name: 'Ada', slug: 'ada' } });
    const [news, tips] = await Promise.all(
      ['news', 'tips'].map((slug) => make(CREATE_CATEGORY, { siteId, input: { name: slug, slug } })),
    );
    const input = {
      title: 'Hello',
      slug: 'hello',
      excerpt: '',
      authorId: author.id,
      categoryIds: [tips.id, news.id],
      content: '<p>x</p>',
    };
    const post = await make(CREATE_POST, { siteId, input });
    expect(post).toMatchObject({ author: { name: 'Ada' }, categories: [{ slug: 'tips' }, { slug: 'news' }] });
    await make(act('publishPost'), { id: post.id });

    const elsewhere = await make(CREATE_AUTHOR, { siteId: await createSite(), input: { name: 'Eve', slug: 'eve' } });
    const refused = (more: object) => owner.refusal(CREATE_POST, { siteId, input: { ...input, slug: 'x', ...more } });
    expect(await refused({ authorId: elsewhere.id })).toBe('NOT_FOUND: Author not found');
    expect(await refused({ categoryIds: [author.id] })).toBe('NOT_FOUND: Category not found');
    expect(await refused({ slug: 'hello' })).toMatch(/^CONFLICT: A post with the slug hello/);

    const since = (await owner.ask(POSTS, { siteId, since: '0', perPage: 100 })).list;
    expect(await owner.refusal(act('deletePostAuthor'), { id: author.id })).toBe('CONFLICT: The post hello has this author.');
    await make(UPDATE_AUTHOR, { id: author.id, version: 1, input: { name: 'Ada L.' } });
    await make(act('deletePostCategory'), { id: tips.id });
    const cursor = since.meta.cursor;
    expect((await owner.ask(POSTS, { siteId, since: cursor })).list.nodes).toEqual([
      { id: post.id, slug: 'hello', author: { name: 'Ada L.' }, categories: [{ slug: 'news' }] },
    ]);
    const without = await make(UPDATE_POST, { id: post.id, version: 1, input: { authorId: null, title: null } });
    expect(without).toMatchObject({ title: 'Hello', author: null, version: 2 });
  });
});

test('one query reads a workspace down to items, references and authors, with a fixed number of statements', async () => {
  const page = (slug: string) => make(CREATE_PAGE, { siteId, input: { title: slug, slug, content: '' } });
  await page('draft');
  await make(act('publishPage'), { id: (await page('about')).id });
  const text = `query ($id: ID!) { workspace(id: $id) { members { nodes { name } } sites { meta { total } nodes { name domain { status subdomain }
    pages { nodes { path content } } forms { nodes { name } } collections { nodes { slug items { nodes { slug references { slug } } } } }
    posts { nodes { slug author { name } categories { slug } } } authors { nodes { name } } postCategories { nodes { slug } } } } } }`;
  const { workspace } = await owner.ask(text, { id: workspaceId });
  expect(workspace.sites.nodes).toHaveLength(workspace.sites.meta.total);
  const first = workspace.sites.nodes.find(({ name }: { name: string }) => name === 'site-1');
  expect(first.pages.nodes.map(({ path }: { path: string }) => path)).toEqual(['/about']);
  expect(first.collections.nodes.map(({ slug }: { slug: string }) => slug)).toEqual(['books', 'drinks', 'many', 'people', 'teams']);
  const before = await statementsOf(text, { id: workspaceId });
  for (let more = 0; more < 3; more++) await createSite();
  expect(await statementsOf(text, { id: workspaceId })).toBe(before);
});
