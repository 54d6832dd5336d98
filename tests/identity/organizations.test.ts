import { reservedSlugs } from '../../schema/words.ts';
import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';

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

test('who creates an organization is its owner, on the free plan and without credits', async () => {
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

test.each(['', 'Upper', '-start', 'with space', 'a/b', 'x'.repeat(65), 'ümlaut'])('%p is no slug', async (slug) => {
  const { key } = await seedOrganization();
  expect(await caller(key).refusal(create, { name: 'Wrong', slug })).toMatchObject({ code: 'INVALID_INPUT' });
});

test('a slug that is the id of another organization draws no requests, even from a member of both', async () => {
  const [victim, impostor] = await Promise.all([seedOrganization(), seedOrganization()]);
  const { graphql } = caller(impostor.key);
  await graphql('mutation ($slug: String!) { updateOrganization(name: "AAA", slug: $slug) { id } }', { slug: victim.id });
  await graphql('mutation ($email: String!) { createMember(email: $email, role: "owner") { role } }', {
    email: victim.owner.email,
  });

  const { post } = caller(victim.key);
  await post(`/api/${victim.id}/products/create`, { sku: 'OWN', name: 'Own' });
  expect((await post(`/api/${victim.slug}/products/get`)).body.data.products).toMatchObject([{ sku: 'OWN' }]);
  expect((await post(`/api/${impostor.id}/products/get`)).body.data.products).toEqual([]);
});

test('a slug is taken once, also when two ask at the same time', async () => {
  const { key } = await seedOrganization();
  const slug = newSlug();
  const answers = await Promise.all(
    [1, 2, 3].map(() => caller(key).post('/graphql', { query: create, variables: { name: 'Twin', slug } })),
  );
  const made = answers.filter(({ body }) => body.data?.createOrganization);
  const refused = answers.filter(({ body }) => body.errors?.[0]?.extensions.code === 'CONFLICT');
  expect([made.length, refused.length]).toEqual([1, 2]);
});

test('an organization is changed field by field, and the old slug ends to work', async () => {
  const { slug, key, id } = await seedOrganization();
  const next = newSlug();
  const { updateOrganization } = await caller(key).graphql(
    'mutation ($slug: String!) { updateOrganization(slug: $slug, modules: ["helpdesk", "helpdesk"]) { id slug name plan modules } }',
    { slug: next },
  );
  expect(updateOrganization).toEqual({ id, slug: next, name: `Organization ${slug}`, plan: 'growth', modules: ['helpdesk'] });
  const { post } = caller(key);
  expect((await post(`/api/${next}/products/get`)).status).toBe(200);
  expect((await post(`/api/${slug}/products/get`)).status).toBe(403);
  expect((await post(`/api/${id}/products/get`)).status).toBe(200);
});

test('the integration API needs the growth plan, and a change of plan holds at once', async () => {
  const { key } = await seedOrganization({ plan: 'free' });
  const { get, graphql } = caller(key);
  expect(await get('/api/v1/agents')).toMatchObject({ status: 402, body: { error: { status: 402 } } });
  await graphql('mutation { updateOrganization(plan: "growth") { id } }');
  expect((await get('/api/v1/agents')).status).toBe(200);
  await graphql('mutation { updateOrganization(plan: "free") { id } }');
  expect((await get('/api/v1/agents')).status).toBe(402);
});

test('the ledger adds up to the balance after concurrent additions, and one reference counts once', async () => {
  const { key, id } = await seedOrganization({ credits: 0 });
  const { graphql } = caller(key);
  const add =
    'mutation ($amount: Float!, $reference: String) { addCredits(amount: $amount, reason: "Paid", reference: $reference) { credits } }';
  await Promise.all([
    ...Array.from({ length: 20 }, (_, at) => graphql(add, { amount: at + 0.25 })),
    ...Array.from({ length: 10 }, () => graphql(add, { amount: 1000, reference: 'invoice-1' })),
  ]);
  const { organization } = await graphql(
    '{ organization { credits creditEntries(limit: 100) { nodes { amount } pagination { total } } } }',
  );
  const ledger = organization.creditEntries.nodes.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
  expect(organization).toMatchObject({ credits: 1195, creditEntries: { pagination: { total: 21 } } });
  expect(ledger).toBe(1195);
  const { rows } = await database().query('select credits from identity.organizations where id = $1', [id]);
  expect(Number(rows[0].credits)).toBe(1195);
});

test.each([0, -5, 1e10])('%p credits cannot be added', async (amount) => {
  const { key } = await seedOrganization();
  const add = 'mutation ($amount: Float!) { addCredits(amount: $amount, reason: "Wrong") { credits } }';
  expect(await caller(key).refusal(add, { amount })).toMatchObject({ code: 'INVALID_INPUT' });
});

test('a member may read and may not change the organization', async () => {
  const { addMember, id } = await seedOrganization();
  const { key } = await addMember('member');
  const { refusal, graphql } = caller(key);
  expect(await graphql('{ organization { id role } }')).toEqual({ organization: { id, role: 'member' } });
  for (const mutation of ['updateOrganization(name: "Mine") { id }', 'addCredits(amount: 1, reason: "Mine") { id }']) {
    expect(await refusal(`mutation { ${mutation} }`)).toMatchObject({ code: 'FORBIDDEN' });
  }
});
