import { publishDue } from '../../subgraphs/site-content/content/schedule.ts';
import { act, CREATE_PAGE, CREATE_POST, openContent, PAGES } from './content.ts';

const { graph, acme, owner, member, make, siteId, workspaceId } = await openContent();
afterAll(() => graph.close());

const schedule = (kind: string) =>
  `mutation ($id: ID!, $publishAt: DateTime!) { made: schedule${kind}(id: $id, publishAt: $publishAt) { status publishedAt publishAt } }`;
const soon = () => new Date(Date.now() + 3_600_000).toISOString();
const page = (slug: string) => make(CREATE_PAGE, { siteId, input: { title: slug, slug, content: '' } });
/** Let the time of all schedules come. */
const pass = () =>
  graph.services.pool.query(`
    with pages as (update site_content.pages set publish_at = now() where status = 'scheduled')
    update site_content.posts set publish_at = now() where status = 'scheduled'`);

test('scheduled content is published once when its time comes, with its event', async () => {
  await graph.services.pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events, about_id, name)
     values (gen_random_uuid(), $1, 'site-content', 'https://hooks.example.com/', '{page.updated,blog.post.published}', $2, 'n')`,
    [acme.id, workspaceId],
  );
  const first = await page('first');
  const input = { title: 'Post', slug: 'post', excerpt: '', content: '', categoryIds: [] };
  const post = await make(CREATE_POST, { siteId, input });
  expect(await make(schedule('Page'), { id: first.id, publishAt: soon() })).toEqual({
    status: 'scheduled',
    publishedAt: null,
    publishAt: expect.any(String),
  });
  await make(schedule('Post'), { id: post.id, publishAt: soon() });
  expect(await publishDue(graph.services)).toBe(0);
  expect((await member.ask(PAGES, { siteId })).list.nodes).toEqual([]);

  await pass();
  const counts = await Promise.all([publishDue(graph.services), publishDue(graph.services), publishDue(graph.services)]);
  expect(counts.reduce((sum, count) => sum + count)).toBe(2);
  expect((await member.ask(PAGES, { siteId })).list.nodes).toEqual([
    { id: first.id, title: 'first', path: '/first', status: 'published' },
  ]);
  const { rows } = await graph.services.pool.query('select event, body from webhooks.deliveries order by id');
  expect(rows.map(({ event }) => event)).toEqual(['page.updated', 'page.updated', 'blog.post.published']);
  expect(JSON.parse(rows[2].body).data).toMatchObject({ id: post.id, status: 'published', publishedAt: expect.any(String) });
});

test('a schedule can be canceled, and must be in the future', async () => {
  const { id } = await page('canceled');
  const past = new Date(Date.now() - 1_000).toISOString();
  expect(await owner.refusal(schedule('Page'), { id, publishAt: past })).toBe('INVALID_INPUT: publishAt must be in the future');
  await make(schedule('Page'), { id, publishAt: soon() });
  await make(act('unpublishPage'), { id });
  await pass();
  expect(await publishDue(graph.services)).toBe(0);
  expect(await member.refusal(schedule('Page'), { id, publishAt: soon() })).toMatch(/^FORBIDDEN/);
});

test('organizations take turns, so that many records of one do not delay those of another', async () => {
  const { id: site } = await make('mutation ($id: ID!) { made: publishSite(id: $id) { id } }', { id: siteId });
  const beta = await graph.seed();
  const client = graph.caller(beta.key);
  const made = async (text: string, variables: object) => (await client.ask(text, { ...variables })).made;
  const workspace = await made('mutation { made: createWorkspace(input: { name: "B", slug: "b" }) { id } }', {});
  const create = 'mutation ($id: ID!) { made: createSite(input: { workspaceId: $id, name: "B", slug: "b" }) { id } }';
  const other = await made(create, workspace);
  const due = (organization: string, siteOf: string, count: number, seconds: number) =>
    graph.services.pool.query(
      `insert into site_content.pages (id, organization_id, site_id, title, slug, path, content, seo, status, publish_at)
       select gen_random_uuid(), $1, $2, 'x', 'x', '/due-' || n, '', '{}', 'scheduled', now() - interval '1 second' * $4
         from generate_series(1, $3::int) n`,
      [organization, siteOf, count, seconds],
    );
  await due(acme.id, site, 35, 60);
  await due(beta.id, other.id, 1, 1);
  expect(await publishDue(graph.services)).toBe(36);
  const { rows } = await graph.services.pool.query(
    `select count(*) filter (where organization_id = $1)::int as before from site_content.pages
      where path like '/due-%' and published_at < (select published_at from site_content.pages where organization_id = $2)`,
    [acme.id, beta.id],
  );
  expect(rows[0].before).toBe(10);
});
