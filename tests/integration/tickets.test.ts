import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { database } from '../support/seed.ts';
import { openIntegration } from './integration.ts';
import { ASSIGN, MERGE, NOTE, open, READ, REPLY, STATUS } from './ticket-operations.ts';

const refused = (status: number, message: unknown) => ({ status, body: { error: { message, status } } });

test('the subject of a ticket is the first line of its description, also with line breaks of Windows', async () => {
  const { agent, post } = await openIntegration();
  const { body } = await post('/tickets', { agentId: agent.id, description: 'My lamp is broken.\r\nPlease help.' });
  expect(body).toMatchObject({ subject: 'My lamp is broken.', description: 'My lamp is broken.\r\nPlease help.' });
});

test('a ticket has the documented fields and defaults', async () => {
  const { agent, post, get } = await open();
  const input = {
    agentId: agent.id,
    subject: 'Broken',
    description: 'It arrived broken.',
    requesterEmail: 'Ada@example.com',
    priority: 'high',
  };
  const { status, body } = await post('/tickets', input);
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    ticketNumber: 'TKT-1001',
    subject: 'Broken',
    description: 'It arrived broken.',
    status: 'new',
    priority: 'high',
    category: null,
    source: 'api',
    requesterName: null,
    requesterEmail: 'Ada@example.com',
    contactId: expect.any(String),
    conversationId: null,
    conversationSummary: null,
    assignedToUserId: null,
    assignedToName: null,
    agentId: agent.id,
    agentName: 'Support desk',
    createdAt: expect.any(String),
    lastActivityAt: body.createdAt,
  });
  expect((await get('/tickets')).body).toEqual({ tickets: [body] });
});

test('numbers have no gaps and no duplicates, also when creations fail or run at once', async () => {
  const { agent, post } = await open();
  const inputs = Array.from({ length: 30 }, (_, nth) =>
    nth % 3 === 2 ? { agentId: agent.id, subject: 'x', requesterEmail: 'broken' } : { agentId: agent.id, subject: `Ticket ${nth}` },
  );
  const answers = await Promise.all(inputs.map((input) => post('/tickets', input)));
  const numbers = answers.flatMap(({ status, body }) => (status === 201 ? [body.ticketNumber] : []));
  expect(numbers.sort()).toEqual(Array.from({ length: 20 }, (_, nth) => `TKT-${1001 + nth}`));
});

test('identical requests at once are two tickets, and with one Idempotency-Key they are one', async () => {
  const { agent, organization, post, get, events } = await open();
  await post('/webhooks', { event: 'ticket.created', targetUrl: 'https://hooks.example.com/tickets' });
  const { send } = caller(organization.key);
  const twice = async (headers: Record<string, string>) => {
    const create = () => send('POST', '/api/v1/tickets', { agentId: agent.id, subject: 'Broken lamp' }, headers);
    const answers = await Promise.all([create(), create()]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    return answers.map(({ body }) => body.ticketNumber).sort();
  };
  expect(await twice({})).toEqual(['TKT-1001', 'TKT-1002']);
  expect(await twice({ 'idempotency-key': 'ticket-1' })).toEqual(['TKT-1003', 'TKT-1003']);
  expect((await get('/tickets')).body.tickets).toHaveLength(3);
  expect(await events()).toHaveLength(3);
});

test('tickets require the Helpdesk module', async () => {
  const { agent, post, get } = await openIntegration({ modules: [] });
  expect(await post('/tickets', { agentId: agent.id, subject: 'Broken' })).toMatchObject(
    refused(402, 'Tickets require the Helpdesk module.'),
  );
  expect((await get('/tickets')).body).toEqual({ tickets: [] });
});

test('an organization that loses the module reads its tickets, but cannot change them', async () => {
  const { organization, create, get } = await open();
  const [{ id }, { id: duplicateId }] = [await create(), await create()];
  await database().query('update identity.organizations set modules = $2 where id = $1', [organization.id, '{}']);
  const { key } = await organization.addMember('member');
  const member = caller(key);
  const mutations: [string, object][] = [
    [ASSIGN, { id, userId: organization.owner.id }],
    [STATUS, { id, status: 'closed' }],
    [REPLY, { id, text: 'x' }],
    [NOTE, { id, text: 'x' }],
    [MERGE, { id, duplicateId }],
  ];
  for (const [mutation, variables] of mutations)
    expect(await member.refusal(mutation, { ...variables })).toEqual({
      code: 'PLAN_REQUIRED',
      message: 'Tickets require the Helpdesk module.',
    });
  expect((await get('/tickets')).body.tickets).toHaveLength(2);
  expect((await get('/tickets')).body.tickets[0].status).toBe('new');
});

test.each([
  [{ agentId: undefined }, 400],
  [{ agentId: randomUUID() }, 404],
  [{ subject: undefined }, 400],
  [{ subject: ' ', description: '\n' }, 400],
  [{ subject: 'a'.repeat(256) }, 400],
  [{ requesterEmail: 'nobody' }, 400],
  [{ priority: 'extreme' }, 400],
])('the ticket %p is rejected with %p', async (input, status) => {
  const { agent, post, get } = await open();
  expect(await post('/tickets', { agentId: agent.id, subject: 'Broken', ...input })).toMatchObject(
    refused(status, expect.any(String)),
  );
  expect((await get('/tickets')).body.tickets).toEqual([]);
});

test('lists filter by status, requester, number and agent; an unknown status is 400', async () => {
  const { agent, createAgent, create, get } = await open();
  const { id: second } = await createAgent('Sales desk');
  await create({ requesterEmail: 'ada@example.com' });
  await create({ agentId: second });
  const numbers = async (query: string) =>
    (await get(`/tickets?${query}`)).body.tickets.map((each: { ticketNumber: string }) => each.ticketNumber);
  expect(await numbers('')).toEqual(['TKT-1002', 'TKT-1001']);
  expect(await numbers('email=ADA@example.com')).toEqual(['TKT-1001']);
  expect(await numbers('ticketNumber=TKT-1002')).toEqual(['TKT-1002']);
  expect(await numbers(`agentId=${agent.id}`)).toEqual(['TKT-1001']);
  expect(await numbers('status=closed')).toEqual([]);
  expect(await get('/tickets?status=open')).toMatchObject(refused(400, expect.stringContaining('status')));
  expect(await numbers('sort=anything')).toEqual(['TKT-1002', 'TKT-1001']);
});

test('sort=activity shows a change of an old ticket first, and since applies to the activity', async () => {
  const { create, get, graphql } = await open();
  const [first, second] = [await create(), await create()];
  const before = new Date().toISOString();
  await graphql(NOTE, { id: first.id, text: 'Looked at it.' });
  const ids = async (query: string) => (await get(`/tickets?${query}`)).body.tickets.map(({ id }: { id: string }) => id);
  expect(await ids('sort=activity')).toEqual([first.id, second.id]);
  expect(await ids('')).toEqual([second.id, first.id]);
  expect(await ids(`sort=activity&since=${before}`)).toEqual([first.id]);
  expect(await ids(`since=${before}`)).toEqual([]);
});

test('tickets of another organization do not exist', async () => {
  const [own, other] = await Promise.all([open(), open()]);
  const { id } = await other.create();
  const mine = await own.create();
  const notFound = { code: 'NOT_FOUND', message: 'Ticket not found' };
  expect(await own.refusal(READ, { id })).toEqual(notFound);
  expect(await own.refusal(REPLY, { id, text: 'Hi' })).toEqual(notFound);
  expect(await own.refusal(STATUS, { id, status: 'closed' })).toEqual(notFound);
  expect(await own.refusal(MERGE, { id: mine.id, duplicateId: id })).toEqual(notFound);
  expect(await own.refusal(MERGE, { id, duplicateId: mine.id })).toEqual(notFound);
  expect((await other.graphql(READ, { id })).ticket.status).toBe('new');
  expect(await caller(undefined).refusal(READ, { id })).toMatchObject({ code: 'MISSING_KEY' });
});
