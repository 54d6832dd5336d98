import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { database, seedOrganization, seedStranger } from '../support/seed.ts';
import { openIntegration } from './integration.ts';

const url = 'https://hooks.example.com/leads';
const refused = (status: number, message: unknown) => ({ status, body: { error: { message, status } } });

test('a lead has the documented fields, and emits lead.created with them', async () => {
  const { agent, post, get, events, organization } = await openIntegration();
  await post('/webhooks', { event: 'lead.created', targetUrl: url });
  const { status, body, headers } = await post('/leads', { agentId: agent.id, name: ' Ada ', email: 'Ada@Example.com' });
  expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
  expect(body).toEqual({
    id: expect.any(String),
    name: 'Ada',
    email: 'Ada@Example.com',
    phone: null,
    contactId: expect.any(String),
    conversationId: null,
    agentId: agent.id,
    agentName: 'Support desk',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect(await get('/leads')).toMatchObject({ status: 200, body: { leads: [body] } });
  expect(await events()).toEqual([
    {
      id: expect.any(String),
      event: 'lead.created',
      organizationId: organization.id,
      agentId: agent.id,
      occurredAt: expect.any(String),
      data: body,
    },
  ]);
});

test('an e-mail address that is too long in lower case is refused', async () => {
  const { agent, post } = await openIntegration();
  expect(await post('/leads', { agentId: agent.id, email: `${'İ'.repeat(200)}@example.com` })).toMatchObject(
    refused(400, expect.any(String)),
  );
});

test('an address in angle brackets, or with a sign of a list, is no e-mail address', async () => {
  const { agent, post } = await openIntegration();
  const make = async (email: string) => (await post('/leads', { agentId: agent.id, email })).status;
  for (const email of ['<ada@example.com>', 'Ada <ada@example.com>', 'ada@example.com>', 'eve,ada@example.com', 'ada@example.com;'])
    expect([email, await make(email)]).toEqual([email, 400]);
  for (const email of ["o'neill+shop@mail.example.co.uk", 'ada_b.c%d@exämple.com', 'a@b.c'])
    expect([email, await make(email)]).toEqual([email, 201]);
});

test('leads of one e-mail address share a contact, in any case and at once', async () => {
  const { agent, post, graphql } = await openIntegration();
  const emails = ['ada@example.com', 'ADA@example.com', 'Ada@Example.com', ' ada@example.com '];
  const answers = await Promise.all(emails.map((email) => post('/leads', { agentId: agent.id, email })));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(answers.map(({ body }) => body.contactId)).size).toBe(1);
  const nameless = await Promise.all(['Ada', 'Ada'].map((name) => post('/leads', { agentId: agent.id, name })));
  expect(new Set(nameless.map(({ body }) => body.contactId)).size).toBe(2);
  const { contacts } = await graphql('{ contacts { nodes { email } pagination { total } } }');
  expect(contacts.pagination.total).toBe(3);
  expect(contacts.nodes.map(({ email }: { email: string | null }) => email)).toContain('ada@example.com');
  const find = 'query ($email: String) { contacts(email: $email) { nodes { id email } pagination { total } } }';
  const { contacts: found } = await graphql(find, { email: 'ADA@example.com' });
  expect(found).toEqual({ nodes: [{ id: answers[0]!.body.contactId, email: 'ada@example.com' }], pagination: { total: 1 } });
  expect((await graphql(find, { email: '%' })).contacts.nodes).toEqual([]);
  const one = 'query ($id: ID!) { contact(id: $id) { email leads { pagination { total } } } }';
  expect((await graphql(one, { id: found.nodes[0].id })).contact).toEqual({
    email: 'ada@example.com',
    leads: { pagination: { total: 4 } },
  });
});

test.each([
  [{}, 400, expect.stringContaining('agentId')],
  [{ agentId: randomUUID(), name: 'Ada' }, 404, 'Agent not found'],
  [{ agentId: 'none', name: 'Ada' }, 404, 'Agent not found'],
  [{ agentId: 'OWN' }, 400, 'name or email is required'],
  [{ agentId: 'OWN', name: '  ', email: '' }, 400, 'name or email is required'],
  [{ agentId: 'OWN', email: 'nobody' }, 400, 'email must be an e-mail address'],
  [{ agentId: 'OWN', name: 'a'.repeat(256) }, 400, 'name must be at most 255 characters'],
  [{ agentId: 'OWN', name: 'nul \0' }, 400, expect.stringContaining('name')],
  [{ agentId: 'OWN', name: 'lone \ud800' }, 400, expect.stringContaining('name')],
  [{ agentId: 'OWN', name: 'a'.repeat(1_000_000) }, 400, 'name must be at most 255 characters'],
  [{ agentId: 'OWN', name: 7 }, 400, expect.stringContaining('name')],
])('the lead %p is rejected with %p', async (input, status, message) => {
  const { agent, post, get } = await openIntegration();
  const body = { ...input, ...('agentId' in input && input.agentId === 'OWN' && { agentId: agent.id }) };
  expect(await post('/leads', body)).toMatchObject(refused(status, message));
  expect((await get('/leads')).body.leads).toEqual([]);
});

test('agents and leads of another organization do not exist', async () => {
  const [own, other] = await Promise.all([openIntegration(), openIntegration()]);
  expect(await own.post('/leads', { agentId: other.agent.id, name: 'Ada' })).toMatchObject(refused(404, 'Agent not found'));
  await other.post('/leads', { agentId: other.agent.id, name: 'Eve' });
  expect((await own.get('/leads')).body.leads).toEqual([]);
  expect(await own.get(`/leads?agentId=${other.agent.id}`)).toMatchObject(refused(404, 'Agent not found'));
  expect(await own.get(`/leads?organization=${other.organization.slug}`)).toMatchObject({ status: 403 });
  expect(await caller((await seedStranger()).key).get('/api/v1/leads')).toMatchObject({ status: 403 });
});

test('a member of two organizations selects one by id or slug', async () => {
  const [own, other] = await Promise.all([openIntegration(), openIntegration()]);
  await other.post('/leads', { agentId: other.agent.id, name: 'Eve' });
  await other.organization.join(own.organization.owner.id, 'member');
  const { send } = caller(await own.organization.addKey(own.organization.owner.id));
  for (const selection of [other.organization.id, other.organization.slug])
    expect((await send('GET', `/api/v1/leads?organization=${selection}`)).body.leads).toMatchObject([{ name: 'Eve' }]);
  expect((await send('GET', '/api/v1/leads')).body.leads).toEqual([]);
});

describe('the list', () => {
  let integration: Awaited<ReturnType<typeof openIntegration>>;
  let second: string;
  beforeAll(async () => {
    integration = await openIntegration();
    second = (await integration.createAgent('Sales desk')).id;
    for (let day = 1; day <= 120; day += 1) {
      const { body } = await integration.post('/leads', { agentId: day % 2 ? integration.agent.id : second, name: `Lead ${day}` });
      const at = new Date(Date.UTC(2026, 0, day));
      await database().query('update agent.leads set created_at = $2 where id = $1', [body.id, at]);
    }
    await integration.post('/leads', { agentId: second, email: 'Grace@Example.com' });
  });
  const names = async (query: string) =>
    (await integration.get(`/leads?${query}`)).body.leads.map(({ name }: { name: string | null }) => name);

  test.each([
    ['', 50],
    ['limit=100', 100],
    ['limit=1000', 100],
    ['limit=0', 1],
    ['limit=-5', 1],
    ['limit=7', 7],
    ['limit=7.9', 7],
    ['limit=ten', 50],
    ['limit=', 50],
    ['limit=1e400', 100],
    ['since=yesterday', 50],
    ['since=', 50],
    ['since=2026-13-45T00:00:00Z', 50],
    ['since=99999-01-01T00:00:00Z', 50],
  ])('%p has %p leads', async (query, count) => {
    expect(await names(query)).toHaveLength(count);
  });

  test('is newest first, from `since` on, which includes its own moment', async () => {
    const since = encodeURIComponent(new Date(Date.UTC(2026, 0, 118)).toISOString());
    expect(await names(`since=${since}`)).toEqual([null, 'Lead 120', 'Lead 119', 'Lead 118']);
    expect(await names('since=2026-04-29')).toEqual([null, 'Lead 120', 'Lead 119']);
  });

  test('reads all older records from `before` on, each once', async () => {
    const query = `query ($before: Since) { leads(limit: 50, before: $before, agentId: "${second}") { name createdAt } }`;
    const pages: { name: string | null; createdAt: string }[][] = [];
    for (let page: (typeof pages)[0] | undefined; page === undefined || page.length > 0; pages.push(page)) {
      page = (await integration.graphql(query, { before: page?.at(-1)?.createdAt ?? null })).leads as (typeof pages)[0];
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 11, 0]);
    expect(pages.flat().map(({ name }) => name)).toEqual([
      null,
      ...Array.from({ length: 60 }, (_, index) => `Lead ${120 - 2 * index}`),
    ]);
  });

  test('filters by agent, and by e-mail address in any case', async () => {
    expect(await names(`agentId=${second}&limit=3`)).toEqual([null, 'Lead 120', 'Lead 118']);
    expect(await names('email=GRACE@example.COM')).toEqual([null]);
    expect(await names('email=grace')).toEqual([]);
    expect(await names('email=%25')).toEqual([]);
  });

  test('names the agent as it is called now, and keeps the name of a deleted one', async () => {
    const rename = 'mutation ($id: ID!) { updateAgent(id: $id, input: { name: "Sales team" }) { id } }';
    await integration.graphql(rename, { id: second });
    const newest = async () => (await integration.get('/leads?limit=1')).body.leads[0];
    expect(await newest()).toMatchObject({ agentId: second, agentName: 'Sales team' });
    await integration.graphql('mutation ($id: ID!) { deleteAgent(id: $id) { id } }', { id: second });
    expect(await newest()).toMatchObject({ agentId: second, agentName: 'Sales desk' });
  });
});

test('the integration API requires the Growth plan', async () => {
  const { get, post, agent } = await openIntegration({ plan: 'free' });
  const required = refused(402, 'The integration API needs the Growth plan or above.');
  for (const path of ['/leads', '/forms', '/form-submissions', '/tickets', '/webhooks'])
    expect(await get(path)).toMatchObject(required);
  expect(await post('/leads', { agentId: agent.id, name: 'Ada' })).toMatchObject(required);
});

test('a repeated Idempotency-Key creates one lead and one event', async () => {
  const { agent, organization, post, get, events } = await openIntegration();
  await post('/webhooks', { event: 'lead.created', targetUrl: url });
  const { send } = caller(organization.key);
  const create = () => send('POST', '/api/v1/leads', { agentId: agent.id, name: 'Ada' }, { 'idempotency-key': 'lead-1' });
  const first = await create();
  expect(await create()).toMatchObject({ status: 201, body: first.body });
  expect((await get('/leads')).body.leads).toHaveLength(1);
  expect(await events()).toHaveLength(1);
});

test('identical requests at once, without an Idempotency-Key, are two leads of one contact, each with its event', async () => {
  const { agent, post, get, events } = await openIntegration();
  await post('/webhooks', { event: 'lead.created', targetUrl: url });
  const create = () => post('/leads', { agentId: agent.id, name: 'Ada', email: 'ada@example.com' });
  const [first, second] = await Promise.all([create(), create()]);
  expect([first!.status, second!.status]).toEqual([201, 201]);
  expect(first!.body.contactId).toBe(second!.body.contactId);
  const ids = [first!.body.id, second!.body.id].sort();
  expect(new Set(ids).size).toBe(2);
  const idsOf = (records: { id: string }[]) => records.map(({ id }) => id).sort();
  expect(idsOf((await get('/leads')).body.leads)).toEqual(ids);
  expect(idsOf((await events()).map(({ data }: { data: { id: string } }) => data))).toEqual(ids);
});

test('a contact of another organization is never shared', async () => {
  const [own, other] = await Promise.all([openIntegration(), openIntegration()]);
  const [one, two] = await Promise.all(
    [own, other].map(({ agent, post }) => post('/leads', { agentId: agent.id, email: 'ada@example.com' })),
  );
  expect(one!.body.contactId).not.toBe(two!.body.contactId);
  const stranger = caller((await seedOrganization()).key);
  expect((await stranger.graphql('{ contacts { nodes { id } } }')).contacts.nodes).toEqual([]);
  expect(await stranger.refusal('query ($id: ID!) { contact(id: $id) { id } }', { id: one!.body.contactId })).toEqual({
    code: 'NOT_FOUND',
    message: 'Contact not found',
  });
});
