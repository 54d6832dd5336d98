import { pruneChanges } from '../../subgraphs/site-content/content/change-feed.ts';
import { act, CREATE_PAGE, openContent, PAGES } from './content.ts';

const { graph, owner, make, siteId, createSite, workspaceId } = await openContent();
afterAll(() => graph.close());
const { pool } = graph.services;

const pages = async (since: string) => (await owner.ask(PAGES, { siteId, since, status: 'all' })).list;
const refusal = (since: string) => owner.refusal(PAGES, { siteId, since, status: 'all' });
const createPage = async (slug: string): Promise<string> =>
  (await make(CREATE_PAGE, { siteId, input: { title: slug, slug, content: '' } })).id;
/** Let this deletion look so many days old. */
const age = (id: string, days: number) =>
  pool.query(`update site_content.changes set at = now() - interval '1 day' * $2 where record_id = $1`, [id, days]);
const OLD = 'UNPROCESSABLE: since is older than the retained changes. Read the list again from since=0.';

test('a cursor that no response contained yet is refused', async () => {
  await createPage('first');
  const { cursor } = (await pages('0')).meta;
  expect(await refusal(cursor)).toBeUndefined();
  for (const since of [String(Number(cursor) + 1_000_000), '999999999999999'])
    expect(await refusal(since)).toBe('INVALID_INPUT: since must be a cursor of an earlier response');
});

test('a deletion is reported for 90 days; a reader that missed it must read the list again', async () => {
  const [kept, old] = [await createPage('kept'), await createPage('old')];
  const before = (await pages('0')).meta.cursor;
  await make(act('deletePage'), { id: old });
  const after = (await pages(before)).meta.cursor;
  await make(act('deletePage'), { id: kept });

  await age(old, 89);
  expect(await pruneChanges(pool)).toBe(0);
  expect((await pages(before)).removed.map(({ id }: { id: string }) => id)).toEqual([old, kept]);
  await age(old, 91);
  expect(await Promise.all([pruneChanges(pool), pruneChanges(pool)]).then(([a, b]) => a + b)).toBe(1);

  expect(await refusal(before)).toBe(OLD);
  // A reader that has seen the deletion goes on, and so does one without a cursor.
  expect((await pages(after)).removed).toEqual([{ id: kept, deleted: true }]);
  expect((await pages('0')).removed).toEqual([]);
  // Another list has its own deletions.
  const elsewhere = await createSite();
  expect(await owner.refusal(PAGES, { siteId: elsewhere, since: '1', status: 'all' })).toBeUndefined();
});

test('the sites of a deleted workspace leave the list of all sites', async () => {
  const text = 'mutation { made: createWorkspace(input: { name: "B", slug: "b" }) { id } }';
  const { id: brief } = await make(text, {});
  const input = { workspaceId: brief, name: 'short', slug: 'short' };
  const { id } = await make('mutation ($input: NewSite!) { made: createSite(input: $input) { id } }', { input });
  await make(act('publishSite'), { id });
  const SITES =
    'query ($since: String, $in: ID) { sites(since: $since, workspaceId: $in) { nodes { id } removed { id } meta { cursor total } } }';
  const sites = async (since: string) => (await owner.ask(SITES, { since })).sites;
  const first = await sites('0');
  expect(first.nodes.map((site: { id: string }) => site.id)).toContain(id);
  await make(act('deleteWorkspace'), { id: brief });
  const then = await sites(first.meta.cursor);
  expect([then.nodes, then.removed]).toEqual([[], [{ id }]]);
  expect(then.meta.total).toBe(first.meta.total - 1);

  await age(id, 100);
  expect(await pruneChanges(pool)).toBe(1);
  expect(await owner.refusal(SITES, { since: first.meta.cursor })).toBe(OLD);
  expect(await owner.refusal(SITES, { since: first.meta.cursor, in: workspaceId })).toBeUndefined();
});

test('a list is read again page by page after a forgotten deletion, and then followed', async () => {
  const id = await createSite();
  const create = async (slug: string): Promise<string> =>
    (await make(CREATE_PAGE, { siteId: id, input: { title: slug, slug, content: '' } })).id;
  const read = async (since: string) => (await owner.ask(PAGES, { siteId: id, since, status: 'all', perPage: 2 })).list;
  const titles = async (since: string) => {
    const found: string[] = [];
    for (;;) {
      const { nodes, meta } = await read(since);
      found.push(...nodes.map(({ title }: { title: string }) => title));
      since = meta.cursor;
      if (!meta.hasMore) return { found, cursor: since };
    }
  };
  const forget = async (slug: string) => {
    const gone = await create(slug);
    await make(act('deletePage'), { id: gone });
    await age(gone, 91);
    await pruneChanges(pool);
  };
  for (const slug of ['a', 'b', 'c', 'd', 'e']) await create(slug);
  const early = await read('0');
  await forget('x');
  expect(await owner.refusal(PAGES, { siteId: id, since: early.meta.cursor, status: 'all' })).toBe(OLD);

  const again = await titles('0');
  expect(again.found).toEqual(['a', 'b', 'c', 'd', 'e']);
  await create('f');
  expect((await titles(again.cursor)).found).toEqual(['f']);

  // A reader that pauses in the middle of a list misses deletions, too.
  const { cursor } = (await read('0')).meta;
  await forget('y');
  expect(await owner.refusal(PAGES, { siteId: id, since: cursor, status: 'all' })).toBe(OLD);
});
