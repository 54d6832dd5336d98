import { reservedSlugs } from '../../schema/enums.ts';
import { caller } from '../support/client.ts';
import { openGateway } from '../support/gateway.ts';
import { database, seedOrganization, seedStranger } from '../support/seed.ts';

const create =
  'mutation ($name: String!, $slug: String!) { createOrganization(name: $name, slug: $slug) { id slug name role plan credits } }';
const newSlug = () => `made-${crypto.randomUUID().slice(0, 13)}`;

test('GET /api/organizations/get lists the organizations of the user and no other, each with the role', async () => {
  const [first, second, third] = await Promise.all([seedOrganization(), seedOrganization(), seedOrganization()]);
  const member = await first!.addMember('member');
  await second!.join(member.id, 'admin');

  const answer = await caller(member.key).get('/api/organizations/get');
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  const { organizations } = answer.body.data;
  expect(organizations).toEqual(
    expect.arrayContaining([
      { id: first!.id, slug: first!.slug, name: `Organization ${first!.slug}`, role: 'member' },
      { id: second!.id, slug: second!.slug, name: `Organization ${second!.slug}`, role: 'admin' },
    ]),
  );
  expect(organizations).toHaveLength(2);
  expect(JSON.stringify(organizations)).not.toContain(third!.id);
  expect((await caller(first!.key).get('/api/organizations/get')).body.data.organizations).toMatchObject([{ role: 'owner' }]);
});

test('the creator of an organization is its owner, on the free plan and without credits', async () => {
  const { key, slug: own } = await seedOrganization();
  const slug = newSlug();
  const { createOrganization } = await caller(key).graphql(create, { name: 'Made', slug });
  expect(createOrganization).toEqual({ id: expect.any(String), slug, name: 'Made', role: 'owner', plan: 'free', credits: 0 });

  const { post, get } = caller(key);
  expect((await post(`/api/${slug}/products/get`)).status).toBe(200);
  const slugs = (await get('/api/organizations/get')).body.data.organizations.map((each: { slug: string }) => each.slug);
  expect(slugs.sort()).toEqual([own, slug].sort());
});

test.each(reservedSlugs)('no organization may be called %s', async (slug) => {
  const { key } = await seedOrganization();
  const { graphql, refusal } = caller(key);
  expect(await refusal(create, { name: 'Reserved', slug })).toMatchObject({ code: 'INVALID_INPUT' });
  expect(await refusal('mutation ($slug: String!) { updateOrganization(slug: $slug) { id } }', { slug })).toMatchObject({
    code: 'INVALID_INPUT',
  });
  expect((await graphql('{ organization { slug } }')).organization.slug).not.toBe(slug);
});

test.each(['', 'Upper', '-start', 'with space', 'a/b', 'x'.repeat(65), 'ümlaut'])('%p is not a slug', async (slug) => {
  const { key } = await seedOrganization();
  expect(await caller(key).refusal(create, { name: 'Wrong', slug })).toMatchObject({ code: 'INVALID_INPUT' });
});

test('a slug that equals the id of another organization receives no requests, even from a member of both', async () => {
  const [victim, impostor] = await Promise.all([seedOrganization(), seedOrganization()]);
  const update = 'mutation ($slug: String!) { updateOrganization(name: "AAA", slug: $slug) { id } }';
  const refused = { code: 'INVALID_INPUT', message: 'slug must not have the form of an id' };
  expect(await caller(impostor.key).refusal(update, { slug: victim.id })).toMatchObject(refused);
  expect(await caller(impostor.key).refusal(create, { name: 'AAA', slug: victim.id })).toMatchObject(refused);
  await database().query(`update identity.organizations set name = 'AAA', slug = $2 where id = $1`, [impostor.id, victim.id]);
  await impostor.join(victim.owner.id, 'owner');

  const { post } = caller(victim.key);
  await post(`/api/${victim.id}/products/create`, { sku: 'OWN', name: 'Own' });
  expect((await post(`/api/${victim.slug}/products/get`)).body.data.products).toMatchObject([{ sku: 'OWN' }]);
  expect((await post(`/api/${impostor.id}/products/get`)).body.data.products).toEqual([]);
});

test('a slug is taken once, even by concurrent requests', async () => {
  const { key } = await seedOrganization();
  const slug = newSlug();
  const answers = await Promise.all(
    [1, 2, 3].map(() => caller(key).post('/graphql', { query: create, variables: { name: 'Twin', slug } })),
  );
  const made = answers.filter(({ body }) => body.data?.createOrganization);
  const refused = answers.filter(({ body }) => body.errors?.[0]?.extensions.code === 'CONFLICT');
  expect([made.length, refused.length]).toEqual([1, 2]);
});

test('an organization is changed field by field, and the old slug stops working', async () => {
  const { slug, key, id } = await seedOrganization();
  const next = newSlug();
  const { updateOrganization } = await caller(key).graphql(
    'mutation ($slug: String!) { updateOrganization(slug: $slug, name: null) { id slug name } }',
    { slug: next },
  );
  expect(updateOrganization).toEqual({ id, slug: next, name: `Organization ${slug}` });
  const { post } = caller(key);
  expect((await post(`/api/${next}/products/get`)).status).toBe(200);
  expect((await post(`/api/${slug}/products/get`)).status).toBe(403);
  expect((await post(`/api/${id}/products/get`)).status).toBe(200);
});

test.each([
  ['updateOrganization(plan: enterprise) { id }', 'GRAPHQL_VALIDATION_FAILED'],
  ['updateOrganization(modules: [helpdesk]) { id }', 'GRAPHQL_VALIDATION_FAILED'],
  ['addCredits(amount: 1000000000, reason: "Mine") { id }', 'GRAPHQL_VALIDATION_FAILED'],
  ['updateOrganizationAccount(organization: "SLUG", credits: 1000000000, plan: growth) { id }', 'FORBIDDEN'],
])('a founder cannot grant the organization %s', async (mutation, expected) => {
  const { key } = await seedOrganization();
  const slug = newSlug();
  await caller(key).graphql(create, { name: 'Made', slug });
  const { code } = await caller(key, { organization: slug }).refusal(`mutation { ${mutation.replace('SLUG', slug)} }`);
  expect(code).toBe(expected);
  const { rows } = await database().query('select plan, modules, credits::float from identity.organizations where slug = $1', [
    slug,
  ]);
  expect(rows).toEqual([{ plan: 'free', modules: [], credits: 0 }]);
});

test('only the first organization of a user gets TRIAL_CREDITS, even with concurrent creates', async () => {
  const { key } = await seedStranger();
  const gateway = await openGateway({ TRIAL_CREDITS: '50' });
  try {
    const { graphql } = caller(key, { url: gateway.url });
    const made = await Promise.all([1, 2, 3].map(() => graphql(create, { name: 'Made', slug: newSlug() })));
    const credits = made.map(({ createOrganization }) => createOrganization.credits);
    expect(credits.sort()).toEqual([0, 0, 50]);
    const { organizations } = await graphql('{ organizations { credits creditEntries { nodes { amount reason } } } }');
    const first = organizations.find((each: { credits: number }) => each.credits > 0);
    expect(first).toEqual({ credits: 50, creditEntries: { nodes: [{ amount: 50, reason: 'Trial credits' }] } });
  } finally {
    await gateway.stop();
  }
});

test('a user owns at most 20 organizations, even with concurrent creates', async () => {
  const { key } = await seedStranger();
  const ask = () => caller(key).post('/graphql', { query: create, variables: { name: 'Made', slug: newSlug() } });
  const answers = await Promise.all(Array.from({ length: 23 }, ask));
  const codes = answers.map(({ body }) => body.errors?.[0]?.extensions.code ?? 'made');
  expect(codes.sort()).toEqual([...Array(3).fill('LIMIT_REACHED'), ...Array(20).fill('made')]);
});

test('a member may read and may not change the organization', async () => {
  const { addMember, id } = await seedOrganization();
  const { key } = await addMember('member');
  const { refusal, graphql } = caller(key);
  expect(await graphql('{ organization { id role } }')).toEqual({ organization: { id, role: 'member' } });
  expect(await refusal('mutation { updateOrganization(name: "Mine") { id } }')).toMatchObject({ code: 'FORBIDDEN' });
});
