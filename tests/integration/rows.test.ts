import { Since } from '../../subgraphs/agent/recent-arguments.ts';
import { allRoutes, named } from '../rest/all-routes.ts';
import { caller } from '../support/client.ts';
import { database, seedOrganization, seedStranger } from '../support/seed.ts';
import { openIntegration } from './integration.ts';

const rows = named(allRoutes.filter(({ surface }) => surface.name === 'integration'));
const [free, own, other] = await Promise.all([openIntegration({ plan: 'free' }), openIntegration(), seedOrganization()]);

type Row = (typeof rows)[number]['route'];
/** Ask a row with its example, which names no record of an organization. */
const ask = ({ method, path, row }: Row, key: string | undefined, query: Record<string, string> = {}) => {
  const search = new URLSearchParams({ ...row.example.query, ...query });
  return caller(key).send(method, `${path}?${search}`, row.example.body);
};
const refused = (status: number, message: unknown = expect.any(String)) => ({ status, body: { error: { message, status } } });

test.each(rows)('$name needs the plan, a key and the membership, and is never cached', async ({ route }) => {
  const isIdentity = route.name === 'GET /api/v1/me';
  const answers = {
    withoutPlan: await ask(route, free.organization.key),
    withoutKey: await ask(route, undefined),
    wrongKey: await ask(route, 'nonsense'),
    foreign: await ask(route, own.organization.key, { organization: other.slug }),
    success: await ask(route, own.organization.key, { organization: own.organization.id }),
  };
  for (const { headers } of Object.values(answers)) expect(headers.get('cache-control')).toBe('no-store');
  if (isIdentity) expect(answers.withoutPlan.status).toBe(200);
  else expect(answers.withoutPlan).toMatchObject(refused(402, 'The integration API needs the Growth plan or above.'));
  expect(answers.withoutKey).toMatchObject(refused(401, 'Missing API Key'));
  expect(answers.wrongKey).toMatchObject(refused(401, 'Invalid API Key'));
  // The identity has no parameters, and names only organizations of its user.
  if (isIdentity) expect(JSON.stringify(answers.foreign.body)).not.toContain(other.id);
  else expect(answers.foreign).toMatchObject(refused(403));
  // The agent of the example does not exist.
  expect([200, 201, 404]).toContain(answers.success.status);
});

test('an unreadable since or limit is ignored', async () => {
  const { get } = caller(own.organization.key);
  const all = await get('/api/v1/leads');
  for (const query of ['since=%00', 'since=a%00b', 'limit=%00', 'since=soon&limit=many'])
    expect([query, await get(`/api/v1/leads?${query}`)]).toMatchObject([query, { status: 200, body: all.body }]);
});

describe('GET /me', () => {
  const identityOf = async (key: string) => (await caller(key).get('/api/v1/me')).body;

  test('has the user, all organizations, and the one of the key', async () => {
    const user = await own.organization.addMember('member');
    await other.join(user.id, 'owner');
    const briefOf = ({ id, slug }: { id: string; slug: string }) => ({ id, name: `Organization ${slug}`, slug });
    const organizations = [own.organization, other].map(briefOf).sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(await identityOf(user.key)).toEqual({ userId: user.id, organizations, boundOrganization: briefOf(own.organization) });
    // The key stays valid when its user leaves the organization.
    await own.graphql('mutation ($id: ID!) { removeMember(userId: $id) { deleted } }', { id: user.id });
    expect(await identityOf(user.key)).toEqual({ userId: user.id, organizations: [briefOf(other)], boundOrganization: null });
  });

  test('has no organization for a key that is not bound', async () => {
    const { id, key } = await seedStranger();
    expect(await identityOf(key)).toEqual({ userId: id, organizations: [], boundOrganization: null });
  });
});

test('GET /agents has the three documented fields of each agent, by name', async () => {
  const { agent, createAgent, get } = await openIntegration();
  const ada = await createAgent('Ada');
  const agents = [
    { id: ada.id, name: 'Ada', publicSlug: ada.publicSlug },
    { id: agent.id, name: 'Support desk', publicSlug: agent.publicSlug },
  ];
  expect(await get('/agents')).toMatchObject({ status: 200, body: { agents } });
  expect(Object.keys((await get('/agents')).body.agents[0])).toEqual(['id', 'name', 'publicSlug']);
});

describe.each([
  ['/form-submissions', 'submissions', 'agent.form_submissions', 'form_name, "values"', `'returns', json_build_object('n', n)`],
  [
    '/tickets',
    'tickets',
    'agent.tickets',
    'ticket_number, subject, description, status, priority, source, last_activity_at',
    `'TKT-' || n, n::text, '', 'new', 'normal', 'api', now()`,
  ],
])('GET %s', (path, key, table, columns, values) => {
  let integration: Awaited<ReturnType<typeof openIntegration>>;
  let second: string;
  beforeAll(async () => {
    integration = await openIntegration();
    second = (await integration.createAgent('Sales desk')).id;
    const { organization, agent } = integration;
    await database().query(
      `insert into ${table} (id, organization_id, agent_id, agent_name, created_at, ${columns})
       select gen_random_uuid(), $1, case when n % 2 = 0 then $2::uuid else $3::uuid end, 'Agent', timestamptz '2026-01-01Z' + n * interval '1 day',
              ${values} from generate_series(1, 110) n`,
      [organization.id, agent.id, second],
    );
  });
  const daysOf = async (query: string): Promise<number[]> =>
    (await integration.get(`${path}?${query}`)).body[key].map(
      ({ createdAt }: { createdAt: string }) => (Date.parse(createdAt) - Date.UTC(2026, 0, 1)) / 86_400_000,
    );
  const down = (from: number, count: number, step = 1) => Array.from({ length: count }, (_, at) => from - at * step);

  test.each([
    ['', 50],
    ['limit=100', 100],
    ['limit=101', 100],
    ['limit=0', 1],
    ['limit=x', 50],
    ['since=never', 50],
    ['since=2026-02-30', 50],
    ['since=2026-04-01 10:00 PM', 50],
    ['since=2026-04-01T25:00', 50],
  ])('with %p has the newest %p', async (query, count) => {
    expect(await daysOf(query)).toEqual(down(110, count));
  });

  test('`since` includes its own moment, and `agentId` selects an agent of the organization', async () => {
    const since = encodeURIComponent(new Date(Date.UTC(2026, 0, 1 + 108)).toISOString());
    expect(await daysOf(`since=${since}`)).toEqual([110, 109, 108]);
    expect(await daysOf('since=2026-04-19T02:00:00+02:00')).toEqual([110, 109, 108]);
    expect(await daysOf('since=0000-01-01&limit=3')).toEqual([3, 2, 1]);
    expect(await daysOf(`agentId=${second}&limit=3`)).toEqual(down(109, 3, 2));
    for (const agentId of [own.agent.id, 'none'])
      expect(await integration.get(`${path}?agentId=${agentId}`)).toMatchObject(refused(404, 'Agent not found'));
  });
});

test('`since` without an offset is UTC, whatever the time zone of the server', () => {
  const texts = [
    ...['2026-07-01T10:00:00', '2026-07-01T10:00', '2026-07-01 10', '2026-07-01T10:00:00.000Z', '2026-07-01T10:00:00,000Z'],
    ...['2026-07-01T12:00:00+02:00', '2026-07-01T12:00:00+02', '2026-07-01 12:00:00.000000+02', '2026-07-01T06:00-0400'],
    // A `+` of a URL that is not encoded.
    '2026-07-01T12:00:00 02:00',
  ];
  const { TZ } = process.env;
  process.env.TZ = 'America/New_York';
  try {
    expect(new Date('2026-07-01T10:00:00').toISOString()).toBe('2026-07-01T14:00:00.000Z');
    expect(texts.map((text) => Since.parseValue(text))).toEqual(Array(texts.length).fill(new Date('2026-07-01T10:00:00.000Z')));
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test('an agent of another organization is not found by any row', async () => {
  const { id } = (await openIntegration()).agent;
  for (const [path, body] of Object.entries({
    '/leads': { name: 'Ada' },
    '/tickets': { subject: 'Help' },
    '/webhooks': { event: 'lead.created', targetUrl: 'https://hooks.example.com/' },
  }))
    expect(await own.post(path, { ...body, agentId: id })).toMatchObject(refused(404, 'Agent not found'));
  expect(await own.get(`/forms?agentId=${id}`)).toMatchObject(refused(404, 'Agent not found'));
});
