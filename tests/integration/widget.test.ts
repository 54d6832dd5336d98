import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { database } from '../support/seed.ts';
import { openIntegration } from './integration.ts';

const origin = 'https://shop.example.com';
const UPDATE = 'mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }';
const FORM = 'mutation ($agentId: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $agentId, input: $input) { id } }';
const fields = [
  { name: 'order', label: 'Order number', required: true },
  { name: 'reason', label: 'Reason', type: 'select', options: ['broken', 'late'] },
  { name: 'pieces', label: 'Pieces', type: 'number' },
  { name: 'id', label: 'Customer id' },
];
const refused = (status: number, message: unknown) => ({ status, body: { success: false, message } });

async function open() {
  const integration = await openIntegration();
  const { id: agentId, publicSlug } = integration.agent;
  await integration.graphql(UPDATE, { id: agentId, input: { allowedOrigins: [origin] } });
  await integration.graphql(FORM, { agentId, input: { name: 'returns', title: 'Return an item', fields } });
  await integration.graphql(FORM, { agentId, input: { name: 'hidden', title: 'Hidden', fields, enabled: false } });
  for (const event of ['lead.created', 'form.submitted'])
    await integration.post('/webhooks', { event, targetUrl: `https://hooks.example.com/${event}` });
  const { send } = caller(undefined);
  const visit = (method: string, path: string, body?: object, from: string | null = origin, more: Record<string, string> = {}) =>
    send(method, `/api/agents/${publicSlug}${path}`, body, { ...(from !== null && { origin: from }), ...more });
  const submit = (values: unknown, more: object = {}) => visit('POST', '/forms/returns/submissions', { values, ...more });
  return { ...integration, visit, submit };
}

test('a visitor reads the enabled forms with their fields', async () => {
  const { visit } = await open();
  const { status, body } = await visit('GET', '/forms');
  expect(status).toBe(200);
  expect(body.forms).toEqual([{ name: 'returns', title: 'Return an item', fields: expect.any(Array) }]);
  expect(body.forms[0].fields[1]).toEqual({
    name: 'reason',
    label: 'Reason',
    type: 'select',
    required: false,
    options: ['broken', 'late'],
  });
});

test('a submission is listed with its values, also flattened, and emits form.submitted', async () => {
  const { agent, submit, get, events } = await open();
  const { status, body } = await submit({ pieces: 2, order: 'A-1', reason: 'broken', id: 'C-7' });
  expect([status, body]).toEqual([201, { id: expect.any(String), createdAt: expect.any(String) }]);
  const submission = {
    ...body,
    formName: 'returns',
    values: { order: 'A-1', reason: 'broken', pieces: 2, id: 'C-7' },
    conversationId: null,
    agentName: 'Support desk',
    order: 'A-1',
    reason: 'broken',
    pieces: 2,
  };
  expect((await get('/form-submissions')).body).toEqual({ submissions: [submission] });
  expect((await get('/form-submissions?formName=returns')).body.submissions).toHaveLength(1);
  expect((await get('/form-submissions?formName=other')).body.submissions).toEqual([]);
  const [emitted] = await events();
  expect(emitted).toMatchObject({ event: 'form.submitted', agentId: agent.id, data: submission });
  const documented = ['id', 'formName', 'values', 'conversationId', 'agentName', 'createdAt'];
  expect(Object.keys(emitted.data)).toEqual([...documented, 'order', 'reason', 'pieces']);
});

test.each([
  [{}, 'values.order is required'],
  [{ order: '' }, 'values.order is required'],
  [{ order: ' \n\t' }, 'values.order is required'],
  [{ order: 7 }, 'values.order must be a valid text'],
  [{ order: 'A', reason: 'other' }, 'values.reason must be a valid select'],
  [{ order: 'A', pieces: '2' }, 'values.pieces must be a valid number'],
  [{ order: 'A', more: 1 }, 'values.more is not a field of the form'],
  [{ order: 'a'.repeat(10_001) }, 'values.order must be at most 10000 characters'],
  [{ order: 'nul \0' }, expect.any(String)],
  ['text', expect.any(String)],
  [undefined, expect.any(String)],
])('the values %p are rejected, and nothing is stored', async (values, message) => {
  const { submit, get, events } = await open();
  const text = typeof message === 'string' ? `Invalid request body: ${message}` : message;
  expect(await submit(values)).toMatchObject(refused(400, text));
  expect((await get('/form-submissions')).body.submissions).toEqual([]);
  expect(await events()).toEqual([]);
});

test('hostile e-mail addresses are rejected quickly', async () => {
  const { agent, graphql, visit } = await open();
  const mails = Array.from({ length: 50 }, (_, nth) => ({ name: `mail${nth}`, label: 'E-mail', type: 'email' }));
  await graphql(FORM, { agentId: agent.id, input: { name: 'mails', title: 'Mails', fields: mails } });
  const timeOf = async (mail: string) => {
    const values = Object.fromEntries(mails.map(({ name }) => [name, mail]));
    const started = performance.now();
    expect((await visit('POST', '/forms/mails/submissions', { values })).status).toBe(400);
    return performance.now() - started;
  };
  const harmless = Math.max(await timeOf('a'.repeat(4_000)), await timeOf('a'.repeat(4_000)));
  // A pattern that tries all ways would take thousands of times as long.
  expect(await timeOf(`a@${'.'.repeat(4_000)}@`)).toBeLessThan(20 * harmless);
});

test('a form that is unknown or disabled does not exist', async () => {
  const { visit } = await open();
  for (const name of ['hidden', 'nothing'])
    expect(await visit('POST', `/forms/${name}/submissions`, { values: { order: 'A' } })).toMatchObject(
      refused(404, 'Form not found'),
    );
});

test('the contact form creates a lead with its event', async () => {
  const { visit, get, events } = await open();
  const { status, body } = await visit('POST', '/leads', { name: 'Ada', email: 'ada@example.com', phone: '+49 30 1234' });
  expect([status, Object.keys(body)]).toEqual([201, ['id', 'createdAt']]);
  expect((await get('/leads')).body.leads).toMatchObject([{ id: body.id, name: 'Ada', phone: '+49 30 1234' }]);
  expect(await events()).toMatchObject([{ event: 'lead.created', data: { id: body.id } }]);
  expect(await visit('POST', '/leads', {})).toMatchObject(refused(400, 'Invalid request body: name or email is required'));
});

test.each([
  null,
  'null',
  'https://evil.example.com',
  `${origin}.`,
  `${origin}:443`,
  origin.toUpperCase(),
  `https://sub.shop.example.com`,
])('a page of the origin %p is rejected', async (from) => {
  const { visit, get } = await open();
  const forbidden = refused(403, 'The origin of this page may not embed the agent.');
  expect(await visit('POST', '/leads', { name: 'Ada' }, from)).toMatchObject(forbidden);
  expect(await visit('POST', '/forms/returns/submissions', { values: { order: 'A' } }, from)).toMatchObject(forbidden);
  expect(await visit('GET', '/forms', undefined, from)).toMatchObject(forbidden);
  expect((await get('/leads')).body.leads).toEqual([]);
});

test('an agent without public access does not exist', async () => {
  const { agent, graphql, visit } = await open();
  await graphql(UPDATE, { id: agent.id, input: { publicAccess: false } });
  expect(await visit('GET', '/forms')).toMatchObject(refused(404, 'Agent not found'));
  expect(await visit('POST', '/leads', { name: 'Ada' })).toMatchObject(refused(404, 'Agent not found'));
});

test('a visitor names only an own conversation', async () => {
  const { organization, agent, visit, get } = await open();
  const [visitorId, conversationId] = [randomUUID(), randomUUID()];
  await database().query(
    `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status, summarized_to, message_count)
     values ($1, $2, $3, $4, 'widget', 'open', 0, 0)`,
    [conversationId, organization.id, agent.id, visitorId],
  );
  const lead = { name: 'Ada', conversationId };
  const missing = refused(404, 'Conversation not found');
  expect(await visit('POST', '/leads', lead)).toMatchObject(missing);
  expect(await visit('POST', '/leads', lead, origin, { 'x-visitor-id': randomUUID() })).toMatchObject(missing);
  expect(await visit('POST', '/leads', { ...lead, conversationId: 'none' }, origin, { 'x-visitor-id': visitorId })).toMatchObject(
    missing,
  );
  expect(await visit('POST', '/leads', lead, origin, { 'x-visitor-id': visitorId })).toMatchObject({ status: 201 });
  expect((await get('/leads')).body.leads).toMatchObject([{ conversationId }]);
});

test('a flood of a visitor is limited', async () => {
  const { visit } = await open();
  const visitor = { 'x-visitor-id': randomUUID() };
  const answers = await Promise.all(Array.from({ length: 30 }, () => visit('POST', '/leads', { name: 'Ada' }, origin, visitor)));
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201, 429]));
  expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(20);
  expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/);
});
