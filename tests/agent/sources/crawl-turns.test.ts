import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { leaseHost } from '../../../subgraphs/agent/ingestion/crawl/hosts.ts';
import { database } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { type Agent, openCrawls, pagesOf } from './crawling.ts';
import { type Handler, html, sitemap } from './test-site.ts';

const PAUSE = 100;
const { own, site, open, close } = await openCrawls({ CRAWL_PAUSE: String(PAUSE), CRAWL_PAGE_LIMIT: '200' });
afterAll(close);

/** A site of 200 pages that answer like this, and the crawl of one organization that has reached its third page. */
async function crawlLongSite(answer: Handler) {
  const paths = Array.from({ length: 200 }, (_, at) => `/a${at}`);
  const { origin, pages, visits } = await site(Object.fromEntries(paths.map((path) => [path, answer])));
  pages['/sitemap.xml'] = sitemap(...paths.map((path) => origin + path));
  const agent = await open();
  const id = await agent.addSource({ type: 'url', name: 'Long', url: `${origin}/a0` });
  const read = () => visits.filter(({ path }) => path.startsWith('/a')).length;
  await until(() => read() >= 3);
  return { origin, pages, visits, agent, id, read };
}

const page = (response: Parameters<Handler>[0], title: string) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end(html(title, `<p>${title}</p>`));

const slowly =
  (ms: number): Handler =>
  async (response, { url }) => {
    await wait(ms);
    page(response, `Page ${url}`);
  };

const refused: Handler = (response) => response.writeHead(429, { 'retry-after': '3' }).end();

/** Add a source of another organization, and wait until it is indexed. */
async function indexBeside({ origin, pages, read }: Awaited<ReturnType<typeof crawlLongSite>>, count: number) {
  const paths = Array.from({ length: count }, (_, at) => `/b${at}`);
  for (const path of paths) pages[path] = html(path, `<p>${path}</p>`);
  pages['/b.xml'] = sitemap(...paths.map((path) => origin + path));
  const other = await open();
  const before = read();
  const { last } = await other.index({ type: 'url', name: 'Beside', url: count === 1 ? `${origin}/b0` : `${origin}/b.xml` });
  return { last, visitsOfFirst: read() - before };
}

const remove = ({ agent, id }: { agent: Agent; id: string }) => agent.owner.send('DELETE', `${agent.path}/${id}`);

test('a source of one page is read in a few turns while another organization crawls 200 pages of the host', async () => {
  const crawl = await crawlLongSite(slowly(50));
  // The other organization reads robots.txt, the sitemap with 200 pages of the host, and its page.
  crawl.pages['/sitemap.xml'] = sitemap();
  const { last, visitsOfFirst } = await indexBeside(crawl, 1);
  expect(last).toMatchObject({ status: 'ready', pageCount: 1 });
  // One page for each of the three requests, the one in hand, and those during the start and the end of the source.
  expect(visitsOfFirst).toBeLessThan(30);
  await remove(crawl);
});

test.each<[string, Handler]>([
  ['slow pages', slowly(3_000)],
  ['pages that ask for a rest', refused],
])('%s of one organization cost another at most half of the time of the host', async (_, answer) => {
  const crawl = await crawlLongSite(answer);
  const { last, visitsOfFirst } = await indexBeside(crawl, 10);
  expect(last).toMatchObject({ status: 'ready', pageCount: 10 });
  // Twelve requests; turns in strict alternation would be as many visits of the other, of three seconds each.
  expect(visitsOfFirst).toBeLessThanOrEqual(5);
  await remove(crawl);
});

test('a crawl beyond its time ends with the pages that were read, and names the others', async () => {
  const crawl = await crawlLongSite(slowly(20));
  const { agent, id } = crawl;
  await database(own.url).query("update agent.sources set crawl_begun_at = now() - interval '7 hours' where id = $1", [id]);
  const last = (await agent.follow(id)).at(-1)!;
  expect(last.status).toBe('ready');
  expect(last.pageCount).toBeGreaterThanOrEqual(3);
  expect([last.pageCount + last.failedPageCount, last.chunkCount]).toEqual([200, last.pageCount]);
  expect((await pagesOf(agent, id)).findLast(({ status }) => status === 'failed')).toMatchObject({
    error: 'The crawl reached its time limit before this page was read.',
  });
  // A source that waits for the host all the time fails.
  const host = new URL(crawl.origin).host;
  await database(own.url).query("update agent.crawl_hosts set busy_until = now() + interval '1 hour' where host = $1", [host]);
  const waiting = await agent.addSource({ type: 'url', name: 'Late', url: `${crawl.origin}/a1` });
  await until(async () => {
    const { rowCount } = await database(own.url).query(
      "update agent.sources set crawl_begun_at = now() - interval '7 hours' where id = $1 and status = 'crawling'",
      [waiting],
    );
    return rowCount === 1;
  });
  expect((await agent.follow(waiting)).at(-1)).toMatchObject({
    status: 'failed',
    error: 'The crawl reached its time limit before the pages of the site were known.',
  });
});

test('organizations take turns at a host, then their sources; who does not return loses the place', async () => {
  const pool = database(own.url);
  const host = `${randomUUID()}.example`;
  const sourceOf = async ({ organization, agentId }: Agent) => {
    const id = randomUUID();
    await pool.query(
      `insert into agent.sources (id, organization_id, agent_id, type, name, status, refresh_interval) values ($1, $2, $3, 'url', 'x', 'ready', 'never')`,
      [id, organization.id, agentId],
    );
    return id;
  };
  const [a, b] = [await open(), await open()];
  const sources = { a1: await sourceOf(a), a2: await sourceOf(a), b1: await sourceOf(b) };
  const served: string[] = [];
  const ask = async (name: keyof typeof sources) => {
    const lease = await leaseHost(pool, { host, sourceId: sources[name], pauseMs: 0 });
    if ('waitMs' in lease) return lease;
    served.push(name);
    return lease;
  };
  const use = async (name: keyof typeof sources) => {
    const lease = await ask(name);
    if ('request' in lease)
      await lease.request(async () => ({ status: 200, headers: {}, body: Buffer.alloc(0), url: '', truncated: false }));
  };
  await use('a1');
  const held = await ask('b1');
  // All wait while the host is busy.
  for (const name of ['a1', 'a2', 'b1'] as const) expect(await ask(name)).toEqual({ waitMs: expect.any(Number) });
  if ('request' in held)
    await held.request(() => wait(300, { status: 200, headers: {}, body: Buffer.alloc(0), url: '', truncated: false }));
  await wait(700);
  for (let round = 0; round < 3; round += 1) for (const name of ['a1', 'b1', 'a2', 'b1', 'a2', 'a1'] as const) await use(name);
  expect(served.slice(0, 4)).toEqual(['a1', 'b1', 'a2', 'b1']);
  expect(new Set(served.slice(2))).toEqual(new Set(['a1', 'a2', 'b1']));
  // A source whose worker was killed while it waited is next in the queue until its place expires.
  await pool.query(
    `update agent.crawl_turns set turn_at = case source_id when $1 then '-infinity' else now() end,
            wanted_until = case source_id when $2 then now() else now() + interval '1 second' end where host = $3`,
    [sources.b1, sources.a2, host],
  );
  expect(await ask('a1')).toEqual({ waitMs: expect.any(Number) });
  await wait(1_100);
  expect(await ask('a1')).toHaveProperty('request');
  // Neither a deleted source nor an expired lease holds the host.
  await pool.query('delete from agent.sources where id = $1', [sources.a1]);
  await pool.query('update agent.crawl_hosts set busy_until = now() where host = $1', [host]);
  expect(await ask('b1')).toHaveProperty('request');
});
