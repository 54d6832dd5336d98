import {
  CREATE_SITE,
  CREATE_WORKSPACE,
  DELETE_SITE,
  DELETE_WORKSPACE,
  FIND_SITE,
  openSites,
  PUBLISH,
  SITES,
  UNPUBLISH,
  UPDATE_SITE,
} from './operations.ts';

const graph = await openSites();
afterAll(() => graph.close());
const acme = await graph.seed();
const owner = graph.caller(acme.key);
const admin = graph.caller((await acme.addMember('admin')).key);
const member = graph.caller((await acme.addMember('member')).key);
const stranger = graph.caller((await graph.seed()).key);
const NOT_FOUND = 'NOT_FOUND: Site not found';
const NO_DRAFTS = 'FORBIDDEN: Only owners and admins may list sites that are not published.';

const workspace = async (slug: string) =>
  (await owner.ask(CREATE_WORKSPACE, { input: { name: slug, slug } })).createWorkspace.id as string;
const create = async (workspaceId: string, slug: string) =>
  (await owner.ask(CREATE_SITE, { input: { workspaceId, name: slug, slug } })).createSite;
const names = async (caller: typeof owner, variables: object) =>
  (await caller.ask(SITES, { ...variables })).sites.nodes.map(({ name }: { name: string }) => name);

test('a site is a draft until it is published, and can be unpublished', async () => {
  const workspaceId = await workspace('life');
  const draft = await create(workspaceId, 'launch');
  expect(draft).toMatchObject({ workspaceId, status: 'draft', publishedAt: null });

  const { publishSite } = await admin.ask(PUBLISH, { id: draft.id });
  expect(publishSite).toEqual({ ...draft, status: 'published', publishedAt: expect.any(String), updatedAt: expect.any(String) });
  expect(Date.parse(publishSite.publishedAt)).toBeGreaterThanOrEqual(Date.parse(draft.createdAt));
  expect((await member.ask(FIND_SITE, { id: draft.id })).site).toEqual({ ...publishSite, workspace: { name: 'life' } });

  const { publishSite: anew } = await admin.ask(PUBLISH, { id: draft.id });
  expect(Date.parse(anew.publishedAt)).toBeGreaterThan(Date.parse(publishSite.publishedAt));

  expect((await owner.ask(UNPUBLISH, { id: draft.id })).unpublishSite).toMatchObject({ status: 'draft', publishedAt: null });
  expect(await member.refusal(FIND_SITE, { id: draft.id })).toBe(NOT_FOUND);
  expect((await owner.ask(FIND_SITE, { id: draft.id })).site.status).toBe('draft');
});

test('lists show published sites; owners and admins can request drafts', async () => {
  const workspaceId = await workspace('lists');
  const elsewhere = await create(await workspace('elsewhere'), 'elsewhere');
  await owner.ask(PUBLISH, { id: elsewhere.id });
  for (const slug of ['b', 'a', 'c']) await create(workspaceId, slug);
  await owner.ask(PUBLISH, { id: (await create(workspaceId, 'published')).id });

  expect(await names(member, { workspaceId })).toEqual(['published']);
  expect(await names(owner, { workspaceId })).toEqual(['published']);
  expect(await names(admin, { workspaceId, status: 'all' })).toEqual(['a', 'b', 'c', 'published']);
  expect(await names(owner, { workspaceId, status: 'draft' })).toEqual(['a', 'b', 'c']);
  expect(await names(member, {})).toEqual(['elsewhere', 'published']);
  expect(await member.refusal(SITES, { status: 'all' })).toBe(NO_DRAFTS);
  expect(await member.refusal(SITES, { workspaceId, status: 'draft' })).toBe(NO_DRAFTS);
  expect(await owner.refusal(SITES, { status: 'archived' })).toMatch(/^INVALID_INPUT: .*SiteFilter/);

  const { sites } = await owner.ask(SITES, { workspaceId, status: 'all', page: 2, perPage: 3 });
  expect(sites.nodes).toHaveLength(1);
  expect(sites.meta).toEqual({ page: 2, perPage: 3, total: 4, totalPages: 2 });
});

test('the sites of an organization are for its own members, with their role in it', async () => {
  const organization = await graph.seed();
  const user = await acme.addMember('member');
  await organization.join(user.id, 'owner');
  const text = `query ($of: [_Any!]!, $status: SiteFilter = published) {
    _entities(representations: $of) { ... on Organization { sites(status: $status) { meta { total } } } }
  }`;
  const of = [{ __typename: 'Organization', id: acme.id }];
  const caller = graph.caller(user.key, { 'x-organization': organization.id });
  expect((await caller.ask(text, { of }))._entities[0].sites.meta.total).toBeGreaterThan(0);
  expect(await caller.refusal(text, { of, status: 'all' })).toBe(NO_DRAFTS);
  expect(await stranger.refusal(text, { of })).toBe('NO_ACCESS: Invalid API Key');
});

test('a site of another organization is not found, and cannot be put into its workspaces', async () => {
  const workspaceId = await workspace('guarded');
  const { id } = await create(workspaceId, 'guarded');
  await owner.ask(PUBLISH, { id });
  for (const operation of [FIND_SITE, PUBLISH, UNPUBLISH, DELETE_SITE])
    expect(await stranger.refusal(operation, { id })).toBe(NOT_FOUND);
  expect(await stranger.refusal(UPDATE_SITE, { id, input: { name: 'Taken' } })).toBe(NOT_FOUND);
  expect(await stranger.refusal(SITES, { workspaceId })).toBe('NOT_FOUND: Workspace not found');
  expect(await stranger.refusal(CREATE_SITE, { input: { workspaceId, name: 'x', slug: 'x' } })).toBe(
    'NOT_FOUND: Workspace not found',
  );
  expect(await names(stranger, {})).toEqual([]);
});

test('only owners and admins can write', async () => {
  const workspaceId = await workspace('closed');
  const { id } = await create(workspaceId, 'closed');
  const forbidden = 'FORBIDDEN: This needs the role admin in the organization.';
  expect(await member.refusal(CREATE_SITE, { input: { workspaceId, name: 'x', slug: 'x' } })).toBe(forbidden);
  expect(await member.refusal(UPDATE_SITE, { id, input: {} })).toBe(forbidden);
  for (const operation of [PUBLISH, UNPUBLISH, DELETE_SITE]) expect(await member.refusal(operation, { id })).toBe(forbidden);
});

test('a slug is unique in a workspace, even with five concurrent creates', async () => {
  const workspaceId = await workspace('slugs');
  const input = { workspaceId, name: 'Home', slug: 'home' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => owner.refusal(CREATE_SITE, { input })));
  const taken = 'CONFLICT: A site with the slug home already exists in the workspace.';
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
  expect(new Set(answers)).toEqual(new Set([undefined, taken]));
  expect(await create(await workspace('more-slugs'), 'home')).toMatchObject({ slug: 'home' });

  const { id } = await create(workspaceId, 'about');
  expect(await owner.refusal(UPDATE_SITE, { id, input: { slug: 'home' } })).toBe(taken);
  expect((await owner.ask(UPDATE_SITE, { id, input: { name: 'About us' } })).updateSite).toMatchObject({
    name: 'About us',
    slug: 'about',
  });
});

test('a site is deleted alone, and with its workspace', async () => {
  const workspaceId = await workspace('short-lived');
  const [first, second] = [await create(workspaceId, 'first'), await create(workspaceId, 'second')];
  expect((await owner.ask(DELETE_SITE, { id: first.id })).deleteSite).toEqual({ id: first.id, deleted: true });
  expect(await owner.refusal(DELETE_SITE, { id: first.id })).toBe(NOT_FOUND);
  await owner.ask(DELETE_WORKSPACE, { id: workspaceId });
  expect(await owner.refusal(FIND_SITE, { id: second.id })).toBe(NOT_FOUND);
  expect(await owner.refusal(DELETE_WORKSPACE, { id: workspaceId })).toBe('NOT_FOUND: Workspace not found');
});

test('creating a site during the deletion of its workspace succeeds or reports the reason', async () => {
  const races = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const workspaceId = await workspace(`race-${index}`);
      const input = { workspaceId, name: 'x', slug: 'x' };
      return Promise.all([owner.refusal(CREATE_SITE, { input }), owner.refusal(DELETE_WORKSPACE, { id: workspaceId })]);
    }),
  );
  for (const [created, deleted] of races) {
    expect([undefined, 'NOT_FOUND: Workspace not found']).toContain(created);
    expect(deleted).toBeUndefined();
  }
});

test('the identity of a key has its owner, and whether drafts are visible', async () => {
  const user = await acme.addMember('member');
  const { siteIdentity } = await graph
    .caller(user.key)
    .ask('{ siteIdentity { userId name email organizations { id role } boundOrganization { id slug role } workspace { id } } }');
  expect(siteIdentity).toEqual({
    userId: user.id,
    name: expect.any(String),
    email: user.email,
    organizations: [{ id: acme.id, role: 'member' }],
    boundOrganization: { id: acme.id, slug: acme.slug, role: 'member' },
    workspace: null,
  });
});
