import { CREATE, DELETE, openAgents, READ, UPDATE } from './operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());
const acme = await graph.seed({ modules: ['helpdesk'] });
const other = await graph.seed();
const member = await acme.addMember('member');
const admin = await acme.addMember('admin');
const FORBIDDEN = 'FORBIDDEN: This needs the role admin in the organization.';

const input = { name: 'Zoe', systemPrompt: 'The secret recipe.', allowedOrigins: ['https://shop.example.com'] };
const { createAgent: zoe } = await graph.caller(admin.key).ask(CREATE, { input });
const { createAgent: anna } = await graph.caller(acme.key).ask(CREATE, { input: { name: 'Anna', publicAccess: false } });

describe('within an organization', () => {
  test('owners and admins list whole agents, by name', async () => {
    const { agents } = await graph.caller(admin.key).ask('{ agents { name systemPrompt } }');
    expect(agents).toEqual([
      { name: 'Anna', systemPrompt: '' },
      { name: 'Zoe', systemPrompt: 'The secret recipe.' },
    ]);
  });

  test('a plain member sees names and public slugs, and nothing else', async () => {
    const caller = graph.caller(member.key);
    expect((await caller.ask('{ agentSummaries { id name publicSlug } }')).agentSummaries).toEqual([
      { id: anna.id, name: 'Anna', publicSlug: anna.publicSlug },
      { id: zoe.id, name: 'Zoe', publicSlug: zoe.publicSlug },
    ]);
    expect(await caller.refusal('{ agents { id } }')).toBe(FORBIDDEN);
    expect(await caller.refusal(READ, { id: zoe.id })).toBe(FORBIDDEN);
    expect(await caller.refusal(CREATE, { input: { name: 'Mine' } })).toBe(FORBIDDEN);
    expect(await caller.refusal(UPDATE, { id: zoe.id, input: {} })).toBe(FORBIDDEN);
    expect(await caller.refusal(DELETE, { id: zoe.id })).toBe(FORBIDDEN);
  });

  test('a caller without a key gets no data', async () => {
    expect(await graph.caller().refusal('{ agents { id } }')).toBe('MISSING_KEY: Missing API Key');
    expect(await graph.caller().refusal('{ agentSummaries { id } }')).toBe('MISSING_KEY: Missing API Key');
    expect(await graph.caller().refusal('{ identity { userId } }')).toBe('MISSING_KEY: Missing API Key');
  });
});

describe('between organizations', () => {
  const stranger = graph.caller(other.key);

  test('an agent of another organization is not found', async () => {
    expect(await stranger.refusal(READ, { id: zoe.id })).toBe('NOT_FOUND: Agent not found');
    expect(await stranger.refusal(UPDATE, { id: zoe.id, input: { name: 'Taken' } })).toBe('NOT_FOUND: Agent not found');
    expect(await stranger.refusal(DELETE, { id: zoe.id })).toBe('NOT_FOUND: Agent not found');
    expect(await stranger.refusal(READ, { id: 'no-id' })).toBe('NOT_FOUND: Agent not found');
    expect(await stranger.ask('{ agents { id } agentSummaries { id } }')).toEqual({ agents: [], agentSummaries: [] });
  });

  test('only admins of an organization read its agents, whatever their role elsewhere', async () => {
    const both = await acme.addMember('member');
    await other.join(both.id, 'owner');
    // The gateway query of `organizations { agents }`: one current organization, several entities.
    const caller = graph.caller(both.key, { 'x-organization': other.id });
    const text = 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Organization { id agents { systemPrompt } } } }';
    const of = (...ids: string[]) => ({ of: ids.map((id) => ({ __typename: 'Organization', id })) });
    expect((await caller.ask(text, of(other.id)))._entities).toEqual([{ id: other.id, agents: [] }]);
    expect(await caller.refusal(text, of(acme.id))).toBe(FORBIDDEN);
    expect(await graph.caller(other.key).refusal(text, of(acme.id))).toBe('NO_ACCESS: Invalid API Key');
    expect((await graph.caller(admin.key).ask(text, of(acme.id)))._entities[0].agents).toHaveLength(2);
  });

  test('a referenced agent also requires an admin', async () => {
    const text = 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Agent { systemPrompt } } }';
    const of = [{ __typename: 'Agent', id: zoe.id }];
    expect((await graph.caller(admin.key).ask(text, { of }))._entities).toEqual([{ systemPrompt: 'The secret recipe.' }]);
    expect((await stranger.ask(text, { of }))._entities).toEqual([null]);
    expect(await graph.caller((await acme.addMember('member')).key).refusal(text, { of })).toBe(FORBIDDEN);
  });

  test('identity lists every organization of the user, and the organization of the key', async () => {
    const user = await acme.addMember('member');
    await other.join(user.id, 'admin');
    const { identity } = await graph
      .caller(user.key)
      .ask('{ identity { userId organizations { id name slug } boundOrganization { id slug } } }');
    expect(identity.userId).toBe(user.id);
    expect(identity.organizations.map(({ id }: { id: string }) => id).sort()).toEqual([acme.id, other.id].sort());
    expect(identity.boundOrganization).toEqual({ id: acme.id, slug: acme.slug });
  });
});
