import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { database } from '../support/seed.ts';
import { openIntegration } from './integration.ts';

const refused = (status: number, message: unknown) => ({ status, body: { error: { message, status } } });
const ASSIGN =
  'mutation ($id: ID!, $userId: ID!) { assignTicket(id: $id, userId: $userId) { status assignedToUserId assignedToName } }';
const STATUS = 'mutation ($id: ID!, $status: TicketStatus!) { setTicketStatus(id: $id, status: $status) { status } }';
const REPLY = 'mutation ($id: ID!, $text: String!) { replyToTicket(id: $id, text: $text) { status lastActivityAt } }';
const REQUESTER_REPLY = 'mutation ($id: ID!, $text: String!) { addRequesterReply(id: $id, text: $text) { id status } }';
const NOTE = 'mutation ($id: ID!, $text: String!) { addTicketNote(id: $id, text: $text) { status } }';
const MERGE = 'mutation ($id: ID!, $duplicateId: ID!) { mergeTicket(id: $id, duplicateId: $duplicateId) { id } }';
const READ = `query ($id: ID!) {
  ticket(id: $id) { status mergedIntoId contact { email } messages { nodes { kind authorName text } pagination { total } } }
}`;

async function open() {
  const integration = await openIntegration();
  const create = async (input: object = {}) =>
    (await integration.post('/tickets', { agentId: integration.agent.id, subject: 'Broken lamp', ...input })).body;
  return { ...integration, create };
}

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

describe('the life of a ticket', () => {
  test('assign, reply, hold, close; each change has its events, in the transaction of the change', async () => {
    const { organization, agent, create, graphql, post, events } = await open();
    for (const event of ['ticket.created', 'ticket.assigned', 'ticket.status_changed', 'ticket.replied'])
      await post('/webhooks', { event, targetUrl: `https://hooks.example.com/${event}` });
    const { id } = await create({ requesterEmail: 'ada@example.com' });
    const { id: userId } = organization.owner;
    expect((await graphql(ASSIGN, { id, userId })).assignTicket).toMatchObject({ status: 'on_you', assignedToUserId: userId });
    const { replyToTicket } = await graphql(REPLY, { id, text: 'Please send a photo.' });
    expect(replyToTicket).toEqual({ status: 'on_customer', lastActivityAt: expect.stringMatching(/^\d{4}-.*T.*Z$/) });
    expect((await graphql(NOTE, { id, text: 'Known batch.' })).addTicketNote.status).toBe('on_customer');
    for (const status of ['on_hold', 'closed']) expect((await graphql(STATUS, { id, status })).setTicketStatus.status).toBe(status);

    const fields = { ticketNumber: 'TKT-1001', subject: 'Broken lamp', priority: 'normal', requesterEmail: 'ada@example.com' };
    const name = expect.any(String);
    const all = await events();
    expect(new Set(all.map(({ agentId }) => agentId))).toEqual(new Set([agent.id]));
    expect(all.map(({ event, data }) => [event, data])).toEqual([
      ['ticket.created', { ...fields, status: 'new' }],
      ['ticket.assigned', { ...fields, status: 'on_you', assignedToUserId: userId, assignedToName: name }],
      ['ticket.status_changed', { ...fields, status: 'on_you', previousStatus: 'new' }],
      [
        'ticket.replied',
        {
          ...fields,
          status: 'on_customer',
          reply: { id: expect.any(String), authorName: name, excerpt: 'Please send a photo.', createdAt: expect.any(String) },
        },
      ],
      ['ticket.status_changed', { ...fields, status: 'on_customer', previousStatus: 'on_you' }],
      ['ticket.status_changed', { ...fields, status: 'on_hold', previousStatus: 'on_customer' }],
      ['ticket.status_changed', { ...fields, status: 'closed', previousStatus: 'on_hold' }],
    ]);
  });

  test.each([
    ['new', 'new', true],
    ['new', 'on_you', false],
    ['new', 'on_customer', false],
    ['new', 'on_hold', true],
    ['new', 'cancelled', true],
    ['closed', 'new', false],
    ['closed', 'on_hold', false],
    ['closed', 'cancelled', false],
    ['cancelled', 'closed', false],
    ['on_hold', 'closed', true],
    ['on_hold', 'new', false],
  ])('from %p to %p by setTicketStatus: %p', async (from, to, isAllowed) => {
    const { create, graphql, refusal } = await open();
    const { id } = await create();
    if (from !== 'new') await graphql(STATUS, { id, status: from });
    const { code } = await refusal(STATUS, { id, status: to });
    expect(code).toBe(isAllowed ? undefined : 'UNPROCESSABLE');
    expect((await graphql(READ, { id })).ticket.status).toBe(isAllowed ? to : from);
  });

  test.each([
    ['new', 'assign', 'on_you'],
    ['on_customer', 'assign', 'on_customer'],
    ['on_hold', 'assign', 'on_hold'],
    ['cancelled', 'assign', undefined],
    ['new', 'reply', 'on_customer'],
    ['on_hold', 'reply', 'on_customer'],
    ['cancelled', 'reply', undefined],
    ['on_customer', 'requester', 'on_you'],
    ['on_hold', 'requester', 'on_you'],
    ['closed', 'requester', 'on_you'],
    ['cancelled', 'requester', undefined],
  ] as const)('from %p by %s to %p', async (from, action, to) => {
    const { organization, create, graphql, refusal } = await open();
    const { id } = await create();
    await database().query('update agent.tickets set status = $2 where id = $1', [id, from]);
    const mutation = { assign: ASSIGN, reply: REPLY, requester: REQUESTER_REPLY }[action];
    const { code } = await refusal(mutation, {
      id,
      ...(action === 'assign' ? { userId: organization.owner.id } : { text: 'Hello' }),
    });
    expect(code).toBe(to === undefined ? 'UNPROCESSABLE' : undefined);
    expect((await graphql(READ, { id })).ticket.status).toBe(to ?? from);
  });

  test('a closed ticket accepts notes, but no replies and assignments', async () => {
    const { organization, create, graphql, refusal } = await open();
    const { id } = await create();
    await graphql(STATUS, { id, status: 'closed' });
    expect(await refusal(REPLY, { id, text: 'Hello?' })).toEqual({ code: 'UNPROCESSABLE', message: 'The ticket is closed.' });
    expect(await refusal(ASSIGN, { id, userId: organization.owner.id })).toMatchObject({ code: 'UNPROCESSABLE' });
    await graphql(NOTE, { id, text: 'Nothing more to do.' });
    expect((await graphql(READ, { id })).ticket).toMatchObject({ status: 'closed', messages: { pagination: { total: 1 } } });
  });

  test('only a member can be assigned', async () => {
    const [own, other] = await Promise.all([open(), open()]);
    const { id } = await own.create();
    for (const userId of [other.organization.owner.id, randomUUID(), 'nobody'])
      expect(await own.refusal(ASSIGN, { id, userId })).toEqual({ code: 'NOT_FOUND', message: 'Member not found' });
  });

  test('twenty changes at once leave every event and message once', async () => {
    const { create, graphql, refusal, post, events } = await open();
    await post('/webhooks', { event: 'ticket.status_changed', targetUrl: 'https://hooks.example.com/a' });
    const { id } = await create();
    const requests = Array.from({ length: 20 }, (_, nth) =>
      nth % 2 ? refusal(REPLY, { id, text: `Reply ${nth}` }) : refusal(STATUS, { id, status: 'on_hold' }),
    );
    expect((await Promise.all(requests)).map(({ code }) => code)).toEqual(Array(20).fill(undefined));
    const { ticket } = await graphql(READ, { id });
    expect(ticket.messages.pagination.total).toBe(10);
    const changes = (await events()).map(({ data }) => data as { previousStatus: string; status: string });
    // Deliveries have no order, but the changes form one path from the first status to the last.
    const left = changes.map(({ previousStatus }) => previousStatus);
    const entered = changes.map(({ status }) => status);
    expect([...left, ticket.status].sort()).toEqual(['new', ...entered].sort());
  });
});

describe('merging', () => {
  test('moves the messages of the duplicate, cancels it and notes it', async () => {
    const { create, graphql, refusal } = await open();
    const [ticket, duplicate] = [await create({ requesterEmail: 'ada@example.com' }), await create({ subject: 'Again broken' })];
    await graphql(REPLY, { id: duplicate.id, text: 'We look into it.' });
    await graphql(MERGE, { id: ticket.id, duplicateId: duplicate.id });
    const { ticket: merged } = await graphql(READ, { id: ticket.id });
    expect(merged.contact).toEqual({ email: 'ada@example.com' });
    expect(merged.messages.nodes.map(({ kind, text }: { kind: string; text: string }) => [kind, text])).toEqual([
      ['reply', 'We look into it.'],
      ['note', 'Merged TKT-1002: Again broken\n\nAgain broken'],
    ]);
    expect((await graphql(READ, { id: duplicate.id })).ticket).toMatchObject({
      status: 'cancelled',
      mergedIntoId: ticket.id,
      messages: { pagination: { total: 0 } },
    });
    for (const ids of [
      { id: ticket.id, duplicateId: ticket.id.toUpperCase() },
      { id: ticket.id, duplicateId: duplicate.id },
      { id: duplicate.id, duplicateId: ticket.id },
    ])
      expect(await refusal(MERGE, ids)).toMatchObject({ code: 'UNPROCESSABLE' });
  });

  test('a merged ticket takes no changes, and a reply of the requester goes to the ticket that it was merged into', async () => {
    const { create, graphql, refusal } = await open();
    const [first, second, third] = [await create(), await create(), await create()];
    await graphql(STATUS, { id: first.id, status: 'closed' });
    await graphql(MERGE, { id: second.id, duplicateId: first.id });
    await graphql(MERGE, { id: third.id, duplicateId: second.id });
    const merged = { code: 'UNPROCESSABLE', message: 'The ticket TKT-1001 was merged into another.' };
    expect(await refusal(REPLY, { id: first.id, text: 'Hello?' })).toEqual(merged);
    expect(await refusal(NOTE, { id: first.id, text: 'A note' })).toEqual(merged);
    expect(await refusal(STATUS, { id: first.id, status: 'on_hold' })).toEqual(merged);
    expect((await graphql(REQUESTER_REPLY, { id: first.id, text: 'It broke again.' })).addRequesterReply).toEqual({
      id: third.id,
      status: 'on_you',
    });
    expect((await graphql(READ, { id: first.id })).ticket).toMatchObject({
      status: 'closed',
      messages: { pagination: { total: 0 } },
    });
  });

  test('two tickets merged into each other at once leave one merged', async () => {
    const { create, refusal } = await open();
    const [{ id: one }, { id: two }] = [await create(), await create()];
    const codes = await Promise.all([refusal(MERGE, { id: one, duplicateId: two }), refusal(MERGE, { id: two, duplicateId: one })]);
    expect(codes.map(({ code }) => code).sort()).toEqual(['UNPROCESSABLE', undefined]);
  });
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
