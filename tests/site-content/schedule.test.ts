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
