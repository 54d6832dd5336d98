import { randomUUID } from 'node:crypto';
import { database } from '../support/seed.ts';
import { ASSIGN, NOTE, open, READ, REPLY, REQUESTER_REPLY, STATUS } from './ticket-operations.ts';

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

  test('the current status that is set again is no activity', async () => {
    const { create, graphql } = await open();
    const { id } = await create();
    await graphql(STATUS, { id, status: 'closed' });
    const lastActivity = async () =>
      (await graphql('query ($id: ID!) { ticket(id: $id) { lastActivityAt } }', { id })).ticket.lastActivityAt;
    const before = await lastActivity();
    expect((await graphql(STATUS, { id, status: 'closed' })).setTicketStatus.status).toBe('closed');
    expect(await lastActivity()).toBe(before);
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
