import { jest } from '@jest/globals';
import { log } from '../../platform/telemetry/index.ts';
import { publishDue } from '../../subgraphs/site-content/content/schedule.ts';
import { bodiesOf } from '../support/deliveries.ts';
import { readBy } from '../support/scanned-rows.ts';
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
  const emitted = await bodiesOf(graph.services.pool);
  expect(emitted.map(({ event }) => event)).toEqual(['page.updated', 'page.updated', 'blog.post.published']);
  expect(emitted[2].data).toMatchObject({ id: post.id, status: 'published', publishedAt: expect.any(String) });
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

const seedSite = async () => {
  const organization = await graph.seed();
  const { ask } = graph.caller(organization.key);
  const made = async (text: string, variables: object) => (await ask(text, { ...variables })).made;
  const workspace = await made('mutation { made: createWorkspace(input: { name: "B", slug: "b" }) { id } }', {});
  const create = 'mutation ($id: ID!) { made: createSite(input: { workspaceId: $id, name: "B", slug: "b" }) { id } }';
  const { id } = await made(create, workspace);
  return { organization: organization.id, site: id };
};

/** Add pages whose time came some seconds ago. */
const addDue = ({ organization, site }: { organization: string; site: string }, count: number, seconds: number) =>
  graph.services.pool.query(
    `insert into site_content.pages (id, organization_id, site_id, title, slug, path, content, seo, status, publish_at)
     select gen_random_uuid(), $1, $2, 'x', 'x', '/due-' || n, '', '{}', 'scheduled', now() - interval '1 second' * $4
       from generate_series(1, $3::int) n`,
    [organization, site, count, seconds],
  );

test('organizations take turns, so that many records of one do not delay those of another', async () => {
  const { id: site } = await make('mutation ($id: ID!) { made: publishSite(id: $id) { id } }', { id: siteId });
  const beta = await seedSite();
  await addDue({ organization: acme.id, site }, 35, 60);
  await addDue(beta, 1, 1);
  expect(await publishDue(graph.services)).toBe(36);
  const { rows } = await graph.services.pool.query(
    `select count(*) filter (where organization_id = $1)::int as before from site_content.pages
      where path like '/due-%' and published_at < (select published_at from site_content.pages where organization_id = $2)`,
    [acme.id, beta.organization],
  );
  expect(rows[0].before).toBe(10);
});

test('a sweep tries an organization that fails once, and reads its records for no other one', async () => {
  const { pool } = graph.services;
  const [failing, other] = [await seedSite(), await seedSite()];
  await addDue(failing, 5_000, 60);
  await addDue(other, 1, 1);
  await pool.query(`
    insert into site_content.posts (id, organization_id, site_id, title, slug, excerpt, content, status, publish_at)
      values (gen_random_uuid(), '${failing.organization}', '${failing.site}', 'x', 'x', '', '', 'scheduled', now());
    create function fail() returns trigger language plpgsql as $$ begin raise 'no update'; end $$;
    create trigger fail before update on site_content.pages for each row when (old.organization_id = '${failing.organization}') execute function fail();
    create trigger fail before update on site_content.posts for each row when (old.organization_id = '${failing.organization}') execute function fail();
    analyze site_content.pages`);
  const warn = jest.spyOn(log, 'warn').mockImplementation(() => {});
  const { rows } = await readBy(pool, async () => expect(await publishDue(graph.services)).toBe(1));
  expect(warn.mock.calls.map(([fields]) => fields)).toMatchObject([{ organizationId: failing.organization }]);
  warn.mockRestore();
  // The search for organizations that wait reads them once.
  expect(rows).toBeLessThan(6_000);
});
