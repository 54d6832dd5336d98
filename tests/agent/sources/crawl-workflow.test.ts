import { refreshDue } from '../../../subgraphs/agent/sources/service.ts';
import { seedCatalog } from '../../support/enrichment.ts';
import { database } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { type Agent, index, openCrawls, pagesOf } from './crawling.ts';
import { html, type Pages, sitemap } from './test-site.ts';

const { own, system, site, open, close } = await openCrawls();
afterAll(close);

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

test('sources that wait for a host hold up neither others nor jobs, and an organization indexes three at once, in order of request', async () => {
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
  const catalog = await seedCatalog(undefined, { credits: 100, url: system.url, databaseUrl: own.url });
  expect((await catalog.enrich(await catalog.addColored(3))).job.status).toBe('completed');

  await agent.owner.send('DELETE', `${agent.path}/${ids[1]}`);
  await until(async () => String(await statusesOf(ids)) === 'crawling,,crawling,crawling,queued');
  expect(busy.visits).toEqual([]);
  await ask('delete from agent.crawl_hosts where host = $1', host);
  const left = ids.filter((_, at) => at !== 1);
  await until(async () => (await statusesOf([...left, ...others])).every((status) => status === 'ready'));
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
});

test('a worker killed in the middle of a crawl and of embedding loses and repeats nothing', async () => {
  const paths = Array.from({ length: 12 }, (_, at) => `/k${at}`);
  const { origin, pages, read } = await site(
    Object.fromEntries(paths.map((path) => [path, html(`Title ${path}`, `<h1>${path}</h1><p>Content of the page ${path}.</p>`)])),
  );
  pages['/sitemap.xml'] = sitemap(...paths.map((path) => origin + path));
  const kill = async () => {
    await system.worker.stop('SIGKILL');
    await system.startWorker();
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
});
