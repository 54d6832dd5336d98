import { randomUUID } from 'node:crypto';
import { database } from '../support/seed.ts';
import { open } from './visitors.ts';

const refused = (status: number, message: unknown) => ({ status, body: { success: false, message } });

test('a visitor reads the replies of the team, without its notes, and replies', async () => {
  const { raise, visit, graphql, post, events } = await open();
  const { id, ticketNumber } = await raise();
  await post('/webhooks', { event: 'ticket.status_changed', targetUrl: 'https://hooks.example.com/status' });
  await graphql('mutation ($id: ID!) { addTicketNote(id: $id, text: "secret note") { id } }', { id });
  // Users are named by their address until they choose a name.
  await graphql('mutation { updateMe(name: "staff@team.example") { id } }');
  await graphql('mutation ($id: ID!) { replyToTicket(id: $id, text: "Which lamp?") { id } }', { id });
  await graphql('mutation ($id: ID!) { setTicketStatus(id: $id, status: closed) { id } }', { id });

  const { status, body } = await visit('POST', `/tickets/${ticketNumber}/replies`, { text: 'The red one.' });
  expect(status).toBe(201);
  expect(body).toEqual({
    ticketNumber,
    subject: 'Broken lamp',
    status: 'on_you',
    createdAt: expect.any(String),
    lastActivityAt: expect.any(String),
    messages: [
      expect.objectContaining({ isFromTeam: true, text: 'Which lamp?', authorName: 'Support' }),
      expect.objectContaining({ isFromTeam: false, text: 'The red one.', authorName: 'ada@example.com' }),
    ],
  });
  expect((await visit('GET', '/tickets')).body).toEqual({ tickets: [body] });
  expect((await events()).at(-1).data).toMatchObject({ status: 'on_you', previousStatus: 'closed' });
});

test('tickets of other visitors, agents and organizations do not exist', async () => {
  const [own, other] = await Promise.all([open(), open()]);
  const stranger = randomUUID();
  const { ticketNumber } = await own.raise(await own.converse(stranger));
  const foreign = await other.raise();
  for (const visitor of [own.visitorId, randomUUID(), null]) {
    expect((await own.visit('GET', '/tickets', undefined, visitor)).body).toEqual({ tickets: [] });
    for (const number of [ticketNumber, foreign.ticketNumber, 'TKT-0', '%00', "' or true --"])
      expect(
        (await own.visit('POST', `/tickets/${encodeURIComponent(number)}/replies`, { text: 'x' }, visitor)).status,
      ).toBeGreaterThanOrEqual(400);
  }
  expect((await own.visit('GET', '/tickets', undefined, stranger)).body.tickets).toHaveLength(1);
  expect(await own.visit('GET', '/tickets', undefined, stranger, 'https://evil.example.com')).toMatchObject({ status: 403 });
});

test('a reply needs a text and the Helpdesk module, and a flood is limited', async () => {
  const { raise, visit, organization } = await open();
  const { ticketNumber } = await raise();
  const reply = (text?: unknown) => visit('POST', `/tickets/${ticketNumber}/replies`, { text });
  for (const text of [undefined, '', 7, 'x'.repeat(20_001), 'nul \0']) expect((await reply(text)).status).toBe(400);
  const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => reply(`Reply ${n}`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]));
  await database().query(`update identity.organizations set modules = '{}' where id = $1`, [organization.id]);
  expect(await reply('x')).toMatchObject(refused(403, 'Tickets are not enabled for this agent.'));
});

test('tickets of different requesters do not merge, so that no visitor reads the messages of another', async () => {
  const { raise, converse, visit, graphql, refusal, post, agent, visitorId } = await open();
  // A visitor may claim the address of another requester.
  const requesterEmail = 'ada@example.com';
  const own = await raise();
  const other = await raise(await converse(randomUUID()));
  const { body: byTeam } = await post('/tickets', { agentId: agent.id, subject: 'Private', requesterEmail });
  const merge = 'mutation ($id: ID!, $duplicateId: ID!) { mergeTicket(id: $id, duplicateId: $duplicateId) { id } }';
  for (const [id, duplicateId] of [
    [own.id, other.id],
    [own.id, byTeam.id],
    [byTeam.id, own.id],
  ])
    expect(await refusal(merge, { id, duplicateId })).toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringContaining('different requesters'),
    });

  const again = await raise(await converse(visitorId));
  await database().query(`update agent.tickets set requester_email = null, requester_name = 'Ada' where id = $1`, [again.id]);
  await graphql(merge, { id: own.id, duplicateId: again.id });
  expect((await visit('POST', `/tickets/${again.ticketNumber}/replies`, { text: 'Hello' })).status).toBe(201);
  const read = (await visit('GET', '/tickets')).body.tickets.find(
    (each: { ticketNumber: string }) => each.ticketNumber === own.ticketNumber,
  );
  expect(read.messages).toMatchObject([{ authorName: 'Ada', text: 'Hello' }]);
  const { body: twin } = await post('/tickets', { agentId: agent.id, subject: 'Of the team' });
  await graphql(merge, { id: byTeam.id, duplicateId: twin.id });
});

test('leads, tickets and conversations of one e-mail address hang on one contact', async () => {
  const { visit, raise, conversationId, graphql, visitorId } = await open();
  await visit('POST', '/leads', { name: 'Ada', conversationId });
  const nameless = (await graphql('query ($id: ID!) { conversation(id: $id) { contact { name email } } }', { id: conversationId }))
    .conversation.contact;
  expect(nameless).toEqual({ name: 'Ada', email: null });
  await visit('POST', '/leads', { email: 'Ada@Example.com', conversationId });
  await visit('POST', '/leads', { name: 'Ada again', conversationId });
  const { ticketNumber } = await raise();
  const query = `query ($id: ID!) { conversation(id: $id) { visitorId contact {
    email leads { nodes { email } pagination { total } } tickets { nodes { ticketNumber contact { email } } } conversations { nodes { id } } } } }`;
  expect((await graphql(query, { id: conversationId })).conversation).toEqual({
    visitorId,
    contact: {
      email: 'ada@example.com',
      leads: { nodes: [{ email: 'Ada@Example.com' }], pagination: { total: 1 } },
      tickets: { nodes: [{ ticketNumber, contact: { email: 'ada@example.com' } }] },
      conversations: { nodes: [{ id: conversationId }] },
    },
  });
});
