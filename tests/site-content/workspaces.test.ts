import { CREATE_WORKSPACE, DELETE_WORKSPACE, openSites, UPDATE_WORKSPACE, WORKSPACE, WORKSPACES } from './operations.ts';

const graph = await openSites();
afterAll(() => graph.close());
const acme = await graph.seed();
const stranger = graph.caller((await graph.seed()).key);
const owner = graph.caller(acme.key);
const member = graph.caller((await acme.addMember('member')).key);
const NOT_FOUND = 'NOT_FOUND: Workspace not found';

const create = async (caller: typeof owner, slug: string, name = slug) =>
  (await caller.ask(CREATE_WORKSPACE, { input: { name, slug } })).createWorkspace;

describe('workspaces', () => {
  test('only members read a workspace', async () => {
    const made = await create(owner, 'brand-site', 'Brand site');
    expect(made).toEqual({ id: expect.any(String), name: 'Brand site', slug: 'brand-site', createdAt: expect.any(String) });
    expect((await member.ask(WORKSPACE, { id: made.id })).workspace).toEqual(made);
    for (const id of [made.id, 'no-id', '']) expect(await stranger.refusal(WORKSPACE, { id })).toBe(NOT_FOUND);
    expect(await stranger.refusal(UPDATE_WORKSPACE, { id: made.id, input: {} })).toBe(NOT_FOUND);
    expect(await stranger.refusal(DELETE_WORKSPACE, { id: made.id })).toBe(NOT_FOUND);
    expect(await graph.caller().refusal(WORKSPACE, { id: made.id })).toBe('MISSING_KEY: Missing API Key');
  });

  test('only owners and admins can write', async () => {
    const { id } = await create(owner, 'closed');
    const forbidden = 'FORBIDDEN: This needs the role admin in the organization.';
    expect(await member.refusal(CREATE_WORKSPACE, { input: { name: 'x', slug: 'x' } })).toBe(forbidden);
    expect(await member.refusal(UPDATE_WORKSPACE, { id, input: { name: 'x' } })).toBe(forbidden);
    expect(await member.refusal(DELETE_WORKSPACE, { id })).toBe(forbidden);
  });

  test('a slug is unique in an organization, even with five concurrent creates', async () => {
    const input = { name: 'Shop', slug: 'shop' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.refusal(CREATE_WORKSPACE, { input })));
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
    expect(new Set(answers)).toEqual(new Set([undefined, 'CONFLICT: A workspace with the slug shop already exists.']));
    const { id } = await create(stranger, 'shop');
    await create(stranger, 'blog');
    expect(await stranger.refusal(UPDATE_WORKSPACE, { id, input: { slug: 'blog' } })).toBe(
      'CONFLICT: A workspace with the slug blog already exists.',
    );
  });

  test('absent and null fields keep their values', async () => {
    const { id } = await create(owner, 'before', 'Before');
    const { updateWorkspace } = await owner.ask(UPDATE_WORKSPACE, { id, input: { name: 'After', slug: null } });
    expect(updateWorkspace).toEqual({ id, name: 'After', slug: 'before' });
  });

  test.each([
    [{ name: '', slug: 'x' }, 'name must not be empty'],
    [{ name: 'x'.repeat(256), slug: 'x' }, 'name must be at most 255 characters'],
    [{ name: 'x', slug: 'Not a slug' }, 'slug must match ^[a-z0-9][a-z0-9-]*$'],
    [{ name: 'x', slug: 'x'.repeat(65) }, 'slug must be at most 64 characters'],
  ])('%j is rejected', async (input, sentence) => {
    expect(await owner.refusal(CREATE_WORKSPACE, { input })).toBe(`INVALID_INPUT: ${sentence}`);
  });
});

describe('pages of a list', () => {
  test('are sorted by name and have page information', async () => {
    const organization = await graph.seed();
    const caller = graph.caller(organization.key);
    for (const slug of ['c', 'a', 'e', 'b', 'd']) await create(caller, slug);
    const page = async (variables: object) => {
      const { workspaces } = await caller.ask(WORKSPACES, { ...variables });
      return { slugs: workspaces.nodes.map(({ slug }: { slug: string }) => slug).join(''), ...workspaces.meta };
    };
    expect(await page({})).toEqual({ slugs: 'abcde', page: 1, perPage: 20, total: 5, totalPages: 1 });
    expect(await page({ perPage: 2 })).toEqual({ slugs: 'ab', page: 1, perPage: 2, total: 5, totalPages: 3 });
    expect(await page({ page: 3, perPage: 2 })).toEqual({ slugs: 'e', page: 3, perPage: 2, total: 5, totalPages: 3 });
    expect(await page({ page: 2_000_000_000, perPage: 100 })).toMatchObject({ slugs: '', total: 5, totalPages: 1 });
  });

  test('an organization without any has an empty first page', async () => {
    const { workspaces } = await graph.caller((await graph.seed()).key).ask(WORKSPACES);
    expect(workspaces).toEqual({ nodes: [], meta: { page: 1, perPage: 20, total: 0, totalPages: 0 } });
  });

  test.each([
    [{ page: 0 }, 'page must be at least 1'],
    [{ perPage: 0 }, 'perPage must be at least 1'],
    [{ perPage: 101 }, 'perPage must be at most 100'],
  ])('%j is rejected', async (variables, sentence) => {
    expect(await owner.refusal(WORKSPACES, variables)).toBe(`INVALID_INPUT: ${sentence}`);
  });
});
