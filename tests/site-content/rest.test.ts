import { request } from 'node:http';
import { allRoutes, named } from '../rest/all-routes.ts';
import { openGateway } from '../support/gateway.ts';
import { database } from '../support/seed.ts';
import { openRest } from './rest-support.ts';

const { acme, user, graphql, rest, owner, member, stranger, make, create, act, workspace, site } = await openRest();

const page = await create('createPage', 'NewPage', site.id, { title: 'Home', slug: 'home', path: '/', seo: { title: 'T' } });
const draft = await create('createPage', 'NewPage', site.id, { title: 'Draft', slug: 'draft' });
const form = await create('createSiteForm', 'NewSiteForm', site.id, {
  name: 'Contact',
  fields: [{ name: 'email', label: 'E-mail', type: 'email' }],
});
const collection = await create('createCollection', 'NewCollection', site.id, {
  name: 'Books',
  slug: 'books',
  fields: [{ name: 'title', type: 'text' }],
});
const item = await make(
  'mutation ($id: ID!) { made: createCollectionItem(collectionId: $id, input: { slug: "ada", fields: { title: "Ada" } }) { id } }',
  { id: collection.id },
);
const author = await create('createPostAuthor', 'NewAuthor', site.id, { name: 'Ada', slug: 'ada' });
const category = await create('createPostCategory', 'NewPostCategory', site.id, { name: 'News', slug: 'news' });
const post = await create('createPost', 'NewPost', site.id, {
  title: 'Hello',
  slug: 'hello',
  authorId: author.id,
  categoryIds: [category.id],
});
await act('publishPage', page.id);
await act('publishCollectionItem', item.id);
await act('publishPost', post.id);
const { rows } = await database().query(
  `insert into site_content.submissions (id, organization_id, site_id, form_id, "values")
   values (gen_random_uuid(), $1, $2, $3, '{"email": "ada@example.com"}') returning id`,
  [acme.id, site.id, form.id],
);
const submission = { id: rows[0].id as string };

const PAGE = ['id', 'siteId', 'title', 'slug', 'path', 'status', 'seo', 'publishedAt', 'createdAt', 'updatedAt'];
const POST = 'id title slug excerpt content status author categories coverImage publishedAt createdAt updatedAt'.split(' ');
const ITEM = ['id', 'collectionId', 'slug', 'status', 'fields', 'publishedAt', 'createdAt', 'updatedAt'];
const base = `/sites/${site.id}`;
const lists: [path: string, id: string | null, keys: string[]][] = [
  ['/workspaces', workspace.id, ['id', 'name', 'slug', 'createdAt']],
  [`/workspaces/${workspace.id}/members`, null, ['id', 'userId', 'name', 'email', 'role', 'joinedAt']],
  ['/sites', site.id, ['id', 'workspaceId', 'name', 'slug', 'status', 'publishedAt', 'createdAt', 'updatedAt']],
  [`${base}/pages`, page.id, PAGE],
  [`${base}/forms`, form.id, ['id', 'siteId', 'name', 'fields']],
  [`${base}/forms/${form.id}/submissions`, submission.id, ['id', 'formId', 'values', 'submittedAt', 'pageId']],
  [`${base}/collections`, collection.id, ['id', 'siteId', 'name', 'slug', 'fields']],
  [`${base}/collections/${collection.id}/items`, item.id, ITEM],
  [`${base}/blog/posts`, post.id, POST],
  [`${base}/blog/authors`, null, ['id', 'name', 'slug', 'bio', 'avatarUrl']],
  [`${base}/blog/categories`, null, ['id', 'name', 'slug']],
];

test.each(lists)('GET %s lists, reads one, follows changes and honors If-None-Match', async (path, id, keys) => {
  const all = await member('GET', path);
  expect(all).toMatchObject({ status: 200, body: { ok: true, meta: { page: 1, perPage: 20, total: 1, totalPages: 1 } } });
  expect(Object.keys(all.body)).toEqual(['ok', 'data', 'meta']);
  expect(Object.keys(all.body.meta)).toEqual(['page', 'perPage', 'total', 'totalPages']);
  expect(all.body.data.map(Object.keys)).toEqual([keys]);
  for (const [key, fields] of Object.entries({ seo: ['title', 'description'], author: ['id', 'name', 'slug', 'bio', 'avatarUrl'] }))
    if (keys.includes(key)) expect(Object.keys(all.body.data[0][key])).toEqual(fields);
  if (keys.includes('categories')) expect(Object.keys(all.body.data[0].categories[0])).toEqual(['id', 'name', 'slug']);
  if (id) expect((await member('GET', `${path}/${id}`)).body).toEqual({ ok: true, data: all.body.data[0] });

  for (const query of ['page=0', 'page=x', 'perPage=0', 'perPage=101'])
    expect(await member('GET', `${path}?${query}`)).toMatchObject({
      status: 400,
      body: { ok: false, error: { code: 'INVALID_INPUT', message: expect.stringMatching(/page/i) } },
    });
  const beyond = (await member('GET', `${path}?page=9&perPage=100`)).body;
  expect(beyond).toEqual({ ok: true, data: [], meta: { page: 9, perPage: 100, total: 1, totalPages: 1 } });

  const tag = all.headers.get('etag')!;
  expect(tag).toMatch(/^"[\w-]{43}"$/);
  const unchanged = await member('GET', path, undefined, { 'if-none-match': `"other", ${tag}` });
  expect([unchanged.status, unchanged.body, unchanged.headers.get('etag')]).toEqual([304, '', tag]);
  expect((await member('GET', `${path}?page=2`, undefined, { 'if-none-match': tag })).status).toBe(200);

  const changes = (await member('GET', `${path}?since=0`)).body;
  expect(changes.data).toEqual(all.body.data);
  expect(changes.meta).toMatchObject({ hasMore: false, cursor: expect.stringMatching(/^\d+$/) });
  const nothing = (await member('GET', `${path}?since=${changes.meta.cursor}`)).body;
  expect(nothing).toMatchObject({ data: [], deleted: [], meta: { cursor: changes.meta.cursor, hasMore: false } });
  for (const since of ['-1', 'x', '2026-01-01', '9'.repeat(16)])
    expect(await member('GET', `${path}?since=${since}`)).toMatchObject({ status: 400, body: { ok: false } });

  if (id) {
    const unknown = `${path}/0199a000-0000-7000-8000-0000000000ff`;
    expect(await member('GET', unknown)).toMatchObject({ status: 404, body: { ok: false, error: { code: 'NOT_FOUND' } } });
    expect((await stranger('GET', `${path}/${id}`)).status).toBe(404);
  }
  if (path.includes('/', 1)) expect((await stranger('GET', path)).status).toBe(404);
  expect((await rest()('GET', path)).status).toBe(401);
});

test('drafts appear only with status=all and only to editors; an unpublished page appears as deleted', async () => {
  const pages = `${base}/pages`;
  expect((await member('GET', `${pages}?status=all`)).status).toBe(403);
  expect((await member('GET', `${pages}/${draft.id}`)).status).toBe(404);
  expect((await owner('GET', `${pages}/${draft.id}`)).body.data.title).toBe('Draft');
  expect((await owner('GET', `${pages}?status=all`)).body.meta.total).toBe(2);
  const { cursor } = (await member('GET', `${pages}?since=0`)).body.meta;
  await act('unpublishPage', page.id);
  const { data, deleted } = (await member('GET', `${pages}?since=${cursor}`)).body;
  expect({ data, deleted }).toEqual({ data: [], deleted: [{ id: page.id, deleted: true }] });
  await act('publishPage', page.id);
});

const keyedRows = named(
  allRoutes.filter(({ surface, row }) => surface.name === 'site-content' && row.requires?.access !== 'public'),
);
const idsByParameter: Record<string, string> = {
  ...{ workspaceId: workspace.id, siteId: site.id, pageId: page.id, formId: form.id, submissionId: submission.id },
  ...{ collectionId: collection.id, itemId: item.id, postId: post.id },
};

test.each(keyedRows)('$name needs a key, and hides everything from other organizations', async ({ route }) => {
  const { method, path, row, params } = route;
  const place = path.replace('/api/v1', '').replace(/\{(\w+)\}/g, (_, name: string) => idsByParameter[name] ?? 'none');
  const refused = (code: string, message: unknown) => ({ ok: false, error: { code, message } });
  const body = row.example.body;
  expect(await rest()(method, place, body)).toMatchObject({ status: 401, body: refused('MISSING_KEY', 'Missing API Key') });
  expect(await rest('nonsense')(method, place, body)).toMatchObject({
    status: 401,
    body: refused('INVALID_KEY', 'Invalid API Key'),
  });
  const foreign = await stranger(method, place, body);
  if (params.length > 0 || method === 'POST')
    expect(foreign).toMatchObject({ status: 404, body: refused('NOT_FOUND', expect.stringMatching(/not found$/)) });
  else expect(JSON.stringify(foreign.body)).not.toContain(acme.id);
});

test('GET /me has the owner of the key, the organizations and the workspace of the key', async () => {
  const brief = { id: acme.id, name: `Organization ${acme.slug}`, slug: acme.slug, role: 'member' };
  const answer = await member('GET', '/me');
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      ok: true,
      data: {
        userId: user.id,
        name: `User ${user.id.slice(0, 8)}`,
        email: user.email,
        organizations: [brief],
        boundOrganization: brief,
        workspace: null,
      },
    },
  ]);
});

test('the surface is served at its host name on the main port too', async () => {
  const gateway = await openGateway({ SITE_HOST: 'content.example.com' });
  const ask = (host: string) =>
    new Promise<[status: number | undefined, body: object]>((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${user.key}` };
      const sent = request(`${gateway.url}/api/v1/me`, { headers }, async (response) => {
        const text = (await response.setEncoding('utf8').toArray()).join('');
        resolve([response.statusCode, JSON.parse(text)]);
      });
      sent.once('error', reject).end();
    });
  expect(await ask('content.example.com')).toMatchObject([200, { ok: true, data: { userId: user.id, email: user.email } }]);
  const other = await ask(new URL(gateway.url).host);
  for (const host of ['Content.Example.COM', `content.example.com:${new URL(gateway.url).port}`, 'content.example.com.'])
    expect(await ask(host)).toEqual(await ask('content.example.com'));
  for (const host of ['content.example.com.evil.example', 'www.content.example.com', 'contentxexample.com'])
    expect(await ask(host)).toEqual(other);
  const [status, identity] = other;
  expect([status, Object.keys(identity)]).toEqual([200, ['userId', 'organizations', 'boundOrganization']]);
  await gateway.stop();
});

test('a site has a domain', async () => {
  expect((await member('GET', `${base}/domain`)).body).toEqual({
    ok: true,
    data: { domain: null, subdomain: expect.stringMatching(/^s-[0-9a-f]{12}$/), status: 'none', ssl: 'none', verifiedAt: null },
  });
});

test('a page of another origin may submit a form after a preflight', async () => {
  const path = `${base}/forms/${form.id}/submissions`;
  const origin = { origin: 'https://www.example.com' };
  const preflight = await rest()('OPTIONS', path, undefined, { ...origin, 'access-control-request-method': 'POST' });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type, idempotency-key');
  const values = { email: 'eve@example.com' };
  const refused = await rest()('POST', path, { values }, origin);
  expect(refused).toMatchObject({ status: 403, body: { ok: false, error: { code: 'FORBIDDEN' } } });
  expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  const domain = 'mutation ($id: ID!, $domain: String!) { setSiteDomain(siteId: $id, input: { domain: $domain }) { domain } }';
  await graphql(domain, { id: site.id, domain: `${acme.slug}.example.com` });
  await database().query('update site_content.domains set verified_at = now() where site_id = $1', [site.id]);
  const own = { origin: `https://${acme.slug}.example.com` };
  expect(await rest()('POST', path, { values }, own)).toMatchObject({
    status: 201,
    body: { ok: true, data: { id: expect.any(String) } },
  });
  expect((await rest()('POST', path, { values: { role: 'x' } }, own)).body.error).toEqual({
    code: 'INVALID_INPUT',
    message: 'values.role is not a field of the form',
  });
});
