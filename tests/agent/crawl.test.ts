import { gzipSync } from 'node:zlib';
import { refreshDue } from '../../subgraphs/agent/sources/refresh.ts';
import { createDatabase } from '../support/database.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { openGateway } from '../support/gateway.ts';
import { startProcess } from '../support/processes.ts';
import { database } from '../support/seed.ts';
import { environmentOf } from '../support/system.ts';
import { until } from '../support/until.ts';
import { openAgent } from './source-support.ts';
import { html, type Pages, sitemap, sitemapIndex, startSite } from './test-site.ts';

const own = await createDatabase();
const env = environmentOf({
  databaseUrl: own.url,
  temporalAddress: process.env.TEST_TEMPORAL_ADDRESS!,
  provider: process.env.TEST_PROVIDER!,
  // Any port of the loopback address, for sites of tests.
  env: {
    ...{ OUTBOUND_ALLOW_HOSTS: '127.0.0.1', CRAWL_PAUSE: '20', CRAWL_PAGE_LIMIT: '12' },
    ...{ WORKER_CONCURRENCY: '6', SOURCE_CONCURRENCY: '4', SOURCES_PER_ORGANIZATION: '3' },
  },
});
const gateway = await openGateway(env);
let worker = await startProcess('start/worker.ts', [], env);
const sites: Awaited<ReturnType<typeof startSite>>[] = [];
afterAll(async () => {
  await Promise.all([gateway.stop(), worker.stop(), ...sites.map((site) => site.close())]);
  await database(own.url).end();
  await own.drop();
});

const site = async (pages: Pages) => {
  const made = await startSite(pages);
  sites.push(made);
  return made;
};
const open = () => openAgent({ url: gateway.url, databaseUrl: own.url });
const PAGES = 'query ($id: ID!) { sourcePages(sourceId: $id) { nodes { url status error title } } }';
type Agent = Awaited<ReturnType<typeof open>>;
const index = (agent: Agent, url: string) => agent.index({ type: 'url', name: 'Site', url });
const pagesOf = async (agent: Agent, id: string): Promise<{ url: string; status: string; error: string | null; title: string }[]> =>
  (await agent.owner.graphql(PAGES, { id })).sourcePages.nodes;

/** A crawl of a host that answers one page and never the other. It takes three timeouts, so it runs beside the other tests. */
const silent = (async () => {
  const { origin, pages } = await site({ '/answers': html('Answers', '<p>This page answers.</p>'), '/never': () => {} });
  pages['/sitemap.xml'] = sitemap(`${origin}/never`);
  const agent = await open();
  return { ...(await index(agent, `${origin}/answers`)), agent, origin };
})();
silent.catch(() => {});

test('a page without a sitemap is a source of one page, with its title and headings', async () => {
  const { origin } = await site({
    '/help': html(
      'Help desk',
      '<h1>Help</h1><h2>Refunds</h2><p>We refund the price within ten days.</p><h2>Size</h2><p>Try it on.</p>',
    ),
  });
  const agent = await open();
  const { last, updates } = await index(agent, `${origin}/help#top`);
  expect([...new Set(updates.map(({ status }) => status))]).toEqual(['queued', 'crawling', 'chunking', 'embedding', 'ready']);
  expect(last).toMatchObject({ pageCount: 1, failedPageCount: 0, chunkCount: 2 });
  const [passage] = (await agent.ask('How do I get a refund?')).passages;
  expect(passage).toMatchObject({
    url: `${origin}/help`,
    title: 'Help desk',
    headings: ['Help', 'Refunds'],
    text: 'We refund the price within ten days.',
  });
});

test('sitemaps of robots.txt, index files and gzip are followed, on the same host alone, as robots.txt allows', async () => {
  const body = (word: string) => html(word, `<p>The page about ${word}.</p>`);
  const { origin, pages, read, visits } = await site({
    '/': body('home'),
    '/a': body('apples'),
    '/b': body('bananas'),
    '/secret/c': body('cherries'),
    '/d': body('dates'),
  });
  Object.assign(pages, {
    '/robots.txt': `User-agent: *\nDisallow: /secret/\nSitemap: ${origin}/maps/sitemap-index.xml\nSitemap: http://127.0.0.2/sitemap.xml`,
    '/maps/sitemap-index.xml': sitemapIndex(
      `${origin}/maps/sitemap-index.xml`,
      `${origin}/sitemap-1.xml`,
      `${origin}/sitemap-2.xml.gz`,
    ),
    '/sitemap-1.xml': sitemap(
      `${origin}/a`,
      `${origin}/a#part`,
      `${origin}/secret/c`,
      'http://127.0.0.2/x',
      `${origin}/logo.png`,
      'nonsense',
    ),
    '/sitemap-2.xml.gz': gzipSync(sitemap(`${origin}/b`, `${origin}/d`)),
    '/sitemap.xml': sitemap(`${origin}/unlisted`),
  });
  const agent = await open();
  const { last } = await index(agent, `${origin}/`);
  expect(read()).toEqual(['/', '/a', '/b', '/d']);
  expect(visits.filter(({ path }) => path === '/maps/sitemap-index.xml')).toHaveLength(1);
  expect(last).toMatchObject({ status: 'ready', pageCount: 4, chunkCount: 4 });
});

test('the page limit holds, and requests to a host come one at a time with a pause', async () => {
  const paths = Array.from({ length: 30 }, (_, at) => `/page-${at}`);
  const { origin, pages, read, visits, mostOpen } = await site({});
  for (const path of paths) {
    pages[path] = (response) =>
      setTimeout(() => response.setHeader('content-type', 'text/html').end(html(path, `<p>Text of ${path}.</p>`)), 30);
  }
  pages['/sitemap.xml'] = sitemap(...paths.map((path) => origin + path));
  const [agent, second] = [await open(), await open()];
  const [first, other] = await Promise.all([index(agent, origin + paths[0]), index(second, origin + paths[1])]);
  expect([first.last.pageCount, other.last.pageCount]).toEqual([12, 12]);
  expect(read()).toHaveLength(24);
  expect(mostOpen()).toBe(1);
  const gaps = visits.slice(1).map(({ at }, place) => at - visits[place]!.at);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15);
});

test('pages that fail are counted and named, and do not fail the source', async () => {
  const { origin, pages } = await site({ '/good': html('Good', '<p>Useful text.</p>') });
  let busy = 0;
  Object.assign(pages, {
    '/busy': ((response) => {
      busy += 1;
      if (busy === 1) return response.writeHead(503, { 'retry-after': '0' }).end();
      return response.setHeader('content-type', 'text/html').end(html('Busy', '<p>Now it works.</p>'));
    }) as Pages[string],
    '/broken': ((response) => response.writeHead(500).end()) as Pages[string],
    '/away': ((response) => response.writeHead(302, { location: 'http://127.0.0.2/private' }).end()) as Pages[string],
    '/moved': ((response) => response.writeHead(301, { location: '/good?moved' }).end()) as Pages[string],
    '/good?moved': html('Moved', '<p>Moved text.</p>'),
    '/huge': ((response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100000000' }).end('x')) as Pages[string],
    '/data': ((response) => response.writeHead(200, { 'content-type': 'video/mp4' }).end('x')) as Pages[string],
    '/sitemap.xml': sitemap(...['/busy', '/broken', '/away', '/moved', '/huge', '/data', '/none'].map((path) => origin + path)),
  });
  const agent = await open();
  const { id, last } = await index(agent, `${origin}/good`);
  expect(last).toMatchObject({ status: 'ready', pageCount: 3, failedPageCount: 5, error: null });
  const failed = (await pagesOf(agent, id)).filter(({ status }) => status === 'failed');
  expect(failed.map(({ url, error }) => [url.replace(origin, ''), error])).toEqual([
    ['/broken', 'The address answers with status 500.'],
    ['/away', 'The address redirects to another one; use the final address.'],
    ['/huge', 'The answer is larger than allowed.'],
    ['/data', 'The address answers with content that is not a web page, plain text or JSON.'],
    ['/none', 'The address answers with status 404.'],
  ]);
});

test('a source fails when nothing can be read, and says why', async () => {
  const { origin, pages } = await site({ '/robots.txt': 'User-agent: *\nDisallow: /' });
  const agent = await open();
  expect((await index(agent, `${origin}/x`)).last).toMatchObject({
    status: 'failed',
    error: 'The file robots.txt of the site forbids to read the page.',
  });
  pages['/robots.txt'] = ((response) => response.writeHead(503).end()) as Pages[string];
  expect((await index(agent, `${origin}/x`)).last.error).toBe('The file robots.txt of the site cannot be read: status 503.');
  delete pages['/robots.txt'];
  expect((await index(agent, `${origin}/x`)).last.error).toBe(
    `No page could be read. ${origin}/x: The address answers with status 404.`,
  );
});

test('hostile sitemaps and pages end quickly: a bomb, a flood of entries, deep tags, a page without spaces', async () => {
  const { origin, pages } = await site({
    '/deep': `<html><body>${'<div><p>'.repeat(100_000)}deep</body></html>`,
    '/solid': html('Solid', `<p>${'a'.repeat(150_000)}</p>`),
    '/forged': html('Forged', '<p>Before \u00011Forged heading</p><p>After</p>'),
  });
  Object.assign(pages, {
    '/robots.txt': `Sitemap: ${origin}/sitemap-bomb.xml.gz\nSitemap: ${origin}/sitemap-flood.xml\nSitemap: ${origin}/sitemap-entities.xml\nDisallow: /${'a*'.repeat(2_000)}b`,
    '/sitemap-bomb.xml.gz': gzipSync(Buffer.alloc(200_000_000, ' ')),
    '/sitemap-entities.xml': `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${sitemap(`${origin}/&b;`)}`,
    '/sitemap-flood.xml': sitemap(...Object.keys(pages).map((path) => origin + path), ...Array(50_000).fill(`${origin}/deep`)),
  });
  const agent = await open();
  const begun = performance.now();
  const { id, last } = await index(agent, `${origin}/solid`);
  expect(last.status).toBe('ready');
  expect(performance.now() - begun).toBeLessThan(30_000);
  expect((await pagesOf(agent, id)).map(({ url }) => url.replace(origin, '')).slice(0, 3)).toEqual(['/solid', '/deep', '/forged']);
  const passages = (await agent.ask('Forged heading')).passages;
  expect(passages.flatMap(({ headings }: { headings: string[] }) => headings)).toEqual([]);
});

test('a refresh asks conditionally, embeds only new content, and drops pages that are gone', async () => {
  const page =
    (etag: string, text: string): Pages[string] =>
    (response, request) => {
      if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
      return response.writeHead(200, { 'content-type': 'text/html', etag }).end(html('Page', `<p>${text}</p>`));
    };
  const { origin, pages, visits } = await site({
    '/one': page('"1"', 'The first page stays.'),
    '/two': page('"2"', 'The second page changes.'),
    '/three': page('"3"', 'The third page goes.'),
    '/four': page('"4"', 'The fourth page fails for a while.'),
  });
  pages['/sitemap.xml'] = sitemap(...['/two', '/three', '/four'].map((path) => origin + path));
  const agent = await open();
  const { id, last } = await index(agent, `${origin}/one`);
  expect(last).toMatchObject({ pageCount: 4, chunkCount: 4, embeddedCount: 4 });

  pages['/two'] = page('"5"', 'The second page has news.');
  delete pages['/three'];
  pages['/four'] = (response) => response.writeHead(500).end();
  visits.length = 0;
  await agent.owner.graphql('mutation ($id: ID!) { refreshSource(id: $id) { id } }', { id });
  expect((await agent.owner.refusal('mutation ($id: ID!) { refreshSource(id: $id) { id } }', { id })).code).toBe('UNPROCESSABLE');
  const updates = await agent.follow(id, last.sequence);
  expect(visits.find(({ path }) => path === '/one')!.headers['if-none-match']).toBe('"1"');
  expect(updates.at(-1)).toMatchObject({ status: 'ready', pageCount: 2, failedPageCount: 2, chunkCount: 3 });
  expect((await pagesOf(agent, id)).map(({ status }) => status)).toEqual(['unchanged', 'read', 'failed', 'failed']);
  const texts = (await agent.ask('page')).passages.map(({ text }: { text: string }) => text).sort();
  expect(texts).toEqual(['The first page stays.', 'The fourth page fails for a while.', 'The second page has news.']);
});

test('a due refresh starts by itself, and its interval can be changed', async () => {
  const { origin } = await site({ '/': html('Home', '<p>Welcome.</p>') });
  const agent = await open();
  const id = await agent.addSource({ type: 'url', name: 'Daily', url: `${origin}/`, refreshInterval: 'daily' });
  const { sequence } = (await agent.follow(id)).at(-1)!;
  const due = async () =>
    (
      await database(own.url).query('select extract(epoch from next_refresh_at - now()) as wait from agent.sources where id = $1', [
        id,
      ])
    ).rows[0].wait;
  expect(Math.abs(Number(await due()) - 86_400)).toBeLessThan(60);
  await agent.owner.graphql('mutation ($id: ID!) { updateSource(id: $id, input: { refreshInterval: weekly }) { id } }', { id });
  expect(Math.abs(Number(await due()) - 7 * 86_400)).toBeLessThan(60);
  await database(own.url).query('update agent.sources set next_refresh_at = now() where id = $1', [id]);
  // The schedule, which calls it each minute, may have been faster.
  await refreshDue(database(own.url));
  expect((await agent.follow(id, sequence)).at(-1)).toMatchObject({ status: 'ready', pageCount: 1 });
  await agent.owner.graphql('mutation ($id: ID!) { updateSource(id: $id, input: { refreshInterval: never }) { id } }', { id });
  expect(await due()).toBeNull();
});

test('sources that wait for a host hold up neither others nor jobs, and an organization indexes so many at once, in turn', async () => {
  const busy = await site({ '/': html('Busy', '<p>Busy text.</p>') });
  const host = new URL(busy.origin).host;
  const ask = async (statement: string, ...values: unknown[]) => (await database(own.url).query(statement, values)).rows;
  const lease = `insert into agent.crawl_hosts (host, busy_until, free_at) values ($1, now() + interval '1 hour', now())`;
  await ask(lease, host);
  const add = (agent: Agent) => agent.addSource({ type: 'url', name: 'Busy', url: `${busy.origin}/` });
  const [agent, second] = [await open(), await open()];
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push(await add(agent));
  const others = [await add(second), await add(second), await add(second)];
  const statusesOf = async (all: string[]) => {
    const rows = await ask('select id, status from agent.sources where id = any($1)', all);
    return all.map((id) => rows.find((row) => row.id === id)?.status);
  };
  await until(async () => !(await statusesOf(others)).includes('queued'));
  await until(async () => String(await statusesOf(ids)) === 'crawling,crawling,crawling,queued,queued');

  const free = await site({ '/': html('Free', '<p>Free text.</p>') });
  expect((await index(await open(), `${free.origin}/`)).last).toMatchObject({ status: 'ready', pageCount: 1 });
  const catalog = await seedCatalog(undefined, { credits: 100, url: gateway.url, databaseUrl: own.url });
  expect((await catalog.enrich(await catalog.addColored(3))).job.status).toBe('completed');

  await agent.owner.send('DELETE', `${agent.path}/${ids[1]}`);
  await until(async () => String(await statusesOf(ids)) === 'crawling,,crawling,crawling,queued');
  expect(busy.visits).toEqual([]);
  await ask('delete from agent.crawl_hosts where host = $1', host);
  const left = ids.filter((_, at) => at !== 1);
  await until(async () => (await statusesOf([...left, ...others])).every((status) => status === 'ready'));
});

test('a site whose sitemaps take too long in all is crawled with the pages found until then', async () => {
  const { origin, pages, visits } = await site({ '/': html('Slow', '<p>Slow text.</p>'), '/a': html('A', '<p>Text of a.</p>') });
  pages['/sitemap.xml'] = sitemapIndex(...Array.from({ length: 9 }, (_, at) => `${origin}/map-${at}.xml`));
  pages['/map-0.xml'] = async (response) => {
    await database(own.url).query(
      `update agent.source_discoveries set request_ms = 120000 where source_id = (select id from agent.sources where url = $1)`,
      [`${origin}/`],
    );
    response.end(sitemap(`${origin}/a`));
  };
  const { last } = await index(await open(), `${origin}/`);
  expect(last).toMatchObject({ status: 'ready', pageCount: 2 });
  expect(visits.map(({ path }) => path)).toEqual(['/robots.txt', '/sitemap.xml', '/map-0.xml', '/', '/a']);
});

test('deleting a source or its agent stops the crawl', async () => {
  const paths = Array.from({ length: 11 }, (_, at) => `/p${at}`);
  /** Begin a crawl that hangs at its third page. */
  const begin = async () => {
    const { origin, pages, read } = await site(Object.fromEntries(paths.map((path) => [path, html(path, `<p>${path}</p>`)])));
    const hanging: string[] = [];
    for (const path of paths.slice(2)) pages[path] = () => hanging.push(path);
    pages['/sitemap.xml'] = sitemap(...paths.map((path) => origin + path));
    const agent = await open();
    const id = await agent.addSource({ type: 'url', name: 'Site', url: `${origin}/p0` });
    await until(() => hanging.length === 1);
    return { agent, id, read };
  };
  const [first, second] = await Promise.all([begin(), begin()]);
  expect((await first.agent.owner.send('DELETE', `${first.agent.path}/${first.id}`)).status).toBe(200);
  expect((await second.agent.owner.send('DELETE', second.agent.path.replace(/\/sources$/, ''))).status).toBe(200);
  const visited = [first, second].map(({ read }) => read().length);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect([first, second].map(({ read }) => read().length)).toEqual(visited);
  const ids = [first.id, second.id];
  const pagesLeft = await database(own.url).query('select from agent.source_pages where source_id = any($1)', [ids]);
  expect(pagesLeft.rowCount).toBe(0);
});

test('a page of a host that never answers is counted and named, and does not fail the source', async () => {
  const { last, id, agent, origin } = await silent;
  expect(last).toMatchObject({ status: 'ready', pageCount: 1, failedPageCount: 1 });
  expect(await pagesOf(agent, id)).toContainEqual(
    expect.objectContaining({ url: `${origin}/never`, status: 'failed', error: 'The address took too long to answer.' }),
  );
});

test('content that the database rejects fails its page, or a source of text, and is not retried forever', async () => {
  const pool = database(own.url);
  await pool.query(`
    create function agent.refuse_poison() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = '22P02'; end $$;
    create trigger refuse_poison before insert on agent.staged_chunks for each row when (new.text like '%hemlock%')
      execute function agent.refuse_poison()`);
  const { origin, pages } = await site({
    '/good': html('Good', '<p>Useful text.</p>'),
    '/bad': html('Bad', '<p>Drink hemlock.</p>'),
    '/emoji': html('Emoji', `<h1>${'x'.repeat(199)}😀</h1><p>Below a long heading.</p>`),
  });
  pages['/sitemap.xml'] = sitemap(`${origin}/bad`, `${origin}/emoji`);
  const agent = await open();
  const { id, last } = await index(agent, `${origin}/good`);
  expect(last).toMatchObject({ status: 'ready', pageCount: 2, failedPageCount: 1, chunkCount: 2 });
  expect((await pagesOf(agent, id)).find(({ status }) => status === 'failed')).toMatchObject({
    url: `${origin}/bad`,
    error: 'The content of the page cannot be stored.',
  });
  expect((await agent.index({ type: 'text', name: 'Poison', text: 'Drink hemlock.' })).last).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^The content cannot be stored/),
  });
  await pool.query('drop trigger refuse_poison on agent.staged_chunks');
}, 60_000);

test('a worker killed in the middle of a crawl and of embedding loses and repeats nothing', async () => {
  const paths = Array.from({ length: 12 }, (_, at) => `/k${at}`);
  const { origin, pages, read } = await site(
    Object.fromEntries(paths.map((path) => [path, html(`Title ${path}`, `<h1>${path}</h1><p>Content of the page ${path}.</p>`)])),
  );
  pages['/sitemap.xml'] = sitemap(...paths.map((path) => origin + path));
  const kill = async () => {
    await worker.stop('SIGKILL');
    worker = await startProcess('start/worker.ts', [], env);
  };
  const agent = await open();
  const id = await agent.addSource({ type: 'url', name: 'Site', url: `${origin}/k0` });
  const following = agent.follow(id);
  await until(() => read().length >= 4);
  await kill();
  // The text asks the provider to delay its answer.
  const slow = await agent.addSource({ type: 'text', name: 'Slow', text: 'The parrot talks. [[provider: slow 4000]]' });
  const slowFollowing = agent.follow(slow);
  await until(async () => {
    const { rows } = await database(own.url).query('select status from agent.sources where id = $1', [slow]);
    return rows[0].status === 'embedding';
  });
  await kill();
  const [updates, slowUpdates] = await Promise.all([following, slowFollowing]);
  expect(updates.at(-1)).toMatchObject({ status: 'ready', pageCount: 12, failedPageCount: 0, chunkCount: 12 });
  expect(slowUpdates.at(-1)).toMatchObject({ status: 'ready', chunkCount: 1 });
  // Only the page in progress may have been requested twice.
  expect(read().length).toBeLessThanOrEqual(13);
  const sequences = updates.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
}, 300_000);
