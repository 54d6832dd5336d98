import { gzipSync } from 'node:zlib';
import { database } from '../../support/seed.ts';
import { index, openCrawls, pagesOf } from './crawling.ts';
import { html, type Pages, sitemap, sitemapIndex } from './test-site.ts';

const { own, site, open, close } = await openCrawls();
afterAll(close);

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
    ['/huge', 'The response is larger than allowed.'],
    ['/data', 'The address answers with content that is not a web page, plain text or JSON.'],
    ['/none', 'The address answers with status 404.'],
  ]);
});

test('robots.txt also applies to the pages that others redirect to', async () => {
  const to = (location: string) => ((response) => response.writeHead(302, { location }).end()) as Pages[string];
  const { origin, pages, read } = await site({
    '/': html('Home', '<p>Welcome.</p>'),
    '/robots.txt': 'User-agent: *\nDisallow: /private/',
    '/private/plan': html('Plan', '<p>The secret plan.</p>'),
    '/old': to('/private/plan'),
    '/older': to('/new'),
    '/long': to(`/new?${'x'.repeat(2_048)}`),
    '/new': html('New', '<p>Moved here.</p>'),
  });
  pages['/sitemap.xml'] = sitemap(`${origin}/old`, `${origin}/older`, `${origin}/long`);
  const agent = await open();
  const { id, last } = await index(agent, `${origin}/`);
  expect(last).toMatchObject({ status: 'ready', pageCount: 2, failedPageCount: 2 });
  expect(read()).toEqual(['/', '/old', '/older', '/new', '/long']);
  expect((await pagesOf(agent, id)).filter(({ status }) => status === 'failed')).toEqual([
    {
      url: `${origin}/old`,
      status: 'failed',
      error: 'The address redirects to a page that robots.txt of the site forbids to read.',
      title: null,
    },
    {
      url: `${origin}/long`,
      status: 'failed',
      error: 'The address redirects to another one; use the final address.',
      title: null,
    },
  ]);
  const { rows } = await database(own.url).query('select crawl_check_ms as ms from agent.sources where id = $1', [id]);
  expect(rows[0].ms).toBeGreaterThan(0);
});

test('a page is requested again at the time that its server names as a date', async () => {
  const { origin, pages, visits } = await site({});
  let until = 0;
  pages['/busy'] = (response) => {
    if (until > 0) return response.setHeader('content-type', 'text/html').end(html('Busy', '<p>Now it works.</p>'));
    until = Math.ceil(Date.now() / 1_000 + 3) * 1_000;
    response.writeHead(503, { 'retry-after': new Date(until).toUTCString() }).end();
  };
  const { last } = await index(await open(), `${origin}/busy`);
  expect(last).toMatchObject({ status: 'ready', pageCount: 1 });
  const [first, second] = visits.filter(({ path }) => path === '/busy');
  expect(second!.at - first!.at).toBeGreaterThan(2_900);
});

test('a source fails when nothing can be read, and says why', async () => {
  const { origin, pages } = await site({ '/robots.txt': 'User-agent: *\nDisallow: /' });
  const agent = await open();
  expect((await index(agent, `${origin}/x`)).last).toMatchObject({
    status: 'failed',
    error: 'The file robots.txt of the site does not allow this page.',
  });
  pages['/robots.txt'] = ((response) => response.writeHead(503).end()) as Pages[string];
  expect((await index(agent, `${origin}/x`)).last.error).toBe('The file robots.txt of the site cannot be read: status 503.');
  delete pages['/robots.txt'];
  expect((await index(agent, `${origin}/x`)).last.error).toBe(
    `No page could be read. ${origin}/x: The address answers with status 404.`,
  );
});

test('hostile sitemaps and pages are read within the limits of their readers: a bomb, a flood of entries, deep tags, a page without spaces', async () => {
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
  const { id, last } = await index(agent, `${origin}/solid`);
  expect(last.status).toBe('ready');
  expect((await pagesOf(agent, id)).map(({ url }) => url.replace(origin, '')).slice(0, 3)).toEqual(['/solid', '/deep', '/forged']);
  const passages = (await agent.ask('Forged heading')).passages;
  expect(passages.flatMap(({ headings }: { headings: string[] }) => headings)).toEqual([]);
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

test('a page of a host that never answers is counted and named, and does not fail the source', async () => {
  const { last, id, agent, origin } = await silent;
  expect(last).toMatchObject({ status: 'ready', pageCount: 1, failedPageCount: 1 });
  expect(await pagesOf(agent, id)).toContainEqual(
    expect.objectContaining({ url: `${origin}/never`, status: 'failed', error: 'The address took too long to answer.' }),
  );
});
