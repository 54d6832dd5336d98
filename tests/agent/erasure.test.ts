import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sweepConversations } from '../../subgraphs/agent/conversations/conversation-expiry.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { caller } from '../support/client.ts';
import { createDatabase } from '../support/database.ts';
import { openGateway } from '../support/gateway.ts';
import { duringTransaction } from '../support/rival.ts';
import { database } from '../support/seed.ts';
import { startGateway } from '../support/system.ts';
import { until } from '../support/until.ts';
import { ORIGIN, question, seedAgent, send } from './chat/chatting.ts';
import { ERASE, EXPORT, erased, readExport, tablesWith } from './erasing.ts';
import { connect, mintToken, requestPerson, SEND_OPERATOR, SEND_VISITOR, TAKE_OVER } from './handoff/handing-off.ts';
import { openInProcess } from './in-process.ts';
import { startToolReceiver } from './tools/receiver.ts';

// Each search reads the whole database, so it must not be that of all tests.
const own = await createDatabase();
const db = () => database(own.url);
const provider = await startChatProvider();
const receiver = await startToolReceiver();
receiver.replyWith((_, response) => response.end('{"status":"sent"}'));
const gateway = await openGateway({
  DATABASE_URL: own.url,
  OPENAI_BASE_URL: provider.url,
  OUTBOUND_ALLOW_HOSTS: '127.0.0.1,localhost',
  CHAT_LIMIT_VISITOR: '1000',
  CHAT_LIMIT_IP: '1000',
});
const { services, close } = await openInProcess(own.url);
afterAll(async () => {
  await close();
  await gateway.stop();
  await Promise.all([provider.close(), receiver.close()]);
  await own.drop();
});

const EVENTS = ['lead.created', 'form.submitted', 'ticket.created', 'ticket.assigned', 'ticket.status_changed', 'ticket.replied'];

/** An organization with an agent, a form, a tool and a subscription to each event. */
async function open() {
  const acme = await seedAgent(gateway.url, {}, { modules: ['helpdesk'], credits: 1_000, databaseUrl: own.url });
  const { admin, agent, slug } = acme;
  const fields = ['mail', 'wish'].map((name) => ({ name, label: name, type: 'text', required: false }));
  await admin.graphql('mutation ($id: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $id, input: $input) { id } }', {
    id: agent.id,
    input: { name: 'wishes', title: 'Wishes', fields },
  });
  await admin.post(`/api/${slug}/agents/${agent.id}/tools`, {
    name: 'send_mail',
    description: 'Sends it.',
    endpointUrl: `${receiver.url}/mail`,
    inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
    bodyTemplate: '{"to":"{{params.to}}"}',
  });
  for (const event of EVENTS) await admin.post('/api/v1/webhooks', { event, targetUrl: `https://hooks.example.com/${event}` });
  const { send: visit } = caller(undefined, { url: gateway.url });
  return {
    ...acme,
    visit:
      (visitorId: string) =>
      (method: string, path: string, body: object, more: object = {}) =>
        visit(method, `/api/agents/${agent.publicSlug}${path}`, body, { origin: ORIGIN, 'x-visitor-id': visitorId, ...more }),
  };
}
type Acme = Awaited<ReturnType<typeof open>>;

/** A person whose texts all contain a mark, and who leaves them everywhere. */
async function live(acme: Acme, mark: string) {
  const { admin, agent, widgetPath, key } = acme;
  const [visitorId, email] = [randomUUID(), `${mark}@example.com`];
  const visit = acme.visit(visitorId);
  const expectStatus = (status: number) => (answer: { status: number; body: unknown }) => {
    if (answer.status !== status) throw new Error(JSON.stringify(answer.body));
    return answer.body as Record<string, string>;
  };
  provider.on(mark, (response, { messages, stream }) => {
    if (!stream) response.complete(`They spoke about ${mark}.`);
    else if (messages.at(-1)!.role === 'tool') response.text(`${mark}, it is done.`).finish();
    else if (messages.at(-1)!.content?.includes('mail'))
      response.call(0, 'c1', 'send_mail', JSON.stringify({ to: email })).finish('tool_calls');
    else if (messages.at(-1)!.content?.includes('ticket'))
      response
        .call(
          0,
          'c2',
          'create_support_ticket',
          JSON.stringify({ subject: mark, description: mark, requesterEmail: email, requesterName: mark }),
        )
        .finish('tool_calls');
    else response.text(`Hello ${mark}`).finish();
  });
  const say = (text: string, conversationId?: string) =>
    send(
      widgetPath,
      {
        ...question(`${mark} ${text}`),
        conversationId,
        id: conversationId ? undefined : `${mark} chat`,
        pageContext: { title: mark },
      },
      { origin: ORIGIN, 'x-visitor-id': visitorId },
    );
  // A conversation that names nobody.
  const anonymous = (await say('hello')).conversationId;
  const { conversationId } = await send(widgetPath, question(`${mark} second`), { origin: ORIGIN, 'x-visitor-id': visitorId });
  await say('send a mail', conversationId);
  await say('raise a ticket', conversationId);
  const idempotent = { 'idempotency-key': `key-${mark}` };
  await visit('POST', '/leads', { name: mark, email, phone: mark, conversationId }, idempotent).then(expectStatus(201));
  await visit('POST', '/leads', { name: `${mark} alone`, conversationId }).then(expectStatus(201));
  await visit('POST', '/forms/wishes/submissions', { values: { wish: mark }, conversationId }).then(expectStatus(201));
  await visit('POST', '/forms/wishes/submissions', { values: { mail: email.toUpperCase(), wish: mark } }).then(expectStatus(201));
  const withKey = { 'x-api-key': key, 'idempotency-key': `admin-${mark}` };
  const lead = await admin.send('POST', '/api/v1/leads', { agentId: agent.id, name: mark, email }, withKey).then(expectStatus(201));
  const ticket = await admin
    .send('POST', '/api/v1/tickets', { agentId: agent.id, subject: mark, description: mark, requesterEmail: email }, withKey)
    .then(expectStatus(201));
  const { tickets } = (await admin.get(`/api/v1/tickets?email=${email}`)).body;
  const raised = tickets.find((each: { source: string }) => each.source === 'ai_escalation');
  await admin.graphql('mutation ($id: ID!, $userId: ID!) { assignTicket(id: $id, userId: $userId) { id } }', {
    id: ticket.id,
    userId: acme.owner.id,
  });
  await admin.graphql('mutation ($id: ID!, $text: String!) { replyToTicket(id: $id, text: $text) { id } }', {
    id: ticket.id,
    text: `Dear ${mark}`,
  });
  await admin.graphql('mutation ($id: ID!, $text: String!) { addTicketNote(id: $id, text: $text) { id } }', {
    id: ticket.id,
    text: `Note on ${mark}`,
  });
  await visit('POST', `/tickets/${raised.ticketNumber}/replies`, { text: `Thanks, ${mark}` }, { 'idempotency-key': 'reply' }).then(
    expectStatus(201),
  );
  // A duplicate of another person receives the messages of a ticket.
  const duplicate = (
    await admin.send('POST', '/api/v1/tickets', { agentId: agent.id, subject: mark, description: mark, requesterEmail: email })
  ).body;
  await requestPerson(acme, { reason: `${mark} wants a person`, conversationId }, visitorId);
  const handoff = (await admin.graphql(TAKE_OVER, { id: conversationId })).takeOverConversation.id;
  const socket = connect(gateway.url, { handoffToken: await mintToken(acme, { visitorId, conversationId }) });
  await socket.run(SEND_VISITOR, { text: `${mark} is here` });
  await admin.graphql(SEND_OPERATOR, { id: handoff, text: `Hello ${mark}` });
  await db().query('update agent.conversations set summary = $2, summarized_to = 1 where id = $1', [conversationId, mark]);
  await db().query(`update agent.tickets set conversation_summary = $2 where id = $1`, [raised.id, mark]);
  return { contactId: lead.contactId!, visitorId, conversationId, anonymous, email, ticket, raised, duplicate, socket, visit, say };
}

const tablesOf = (text: string) => tablesWith(text, own.url);

const newMark = (name: string) => `${name}${randomUUID().replaceAll('-', '')}`;

test('nothing in the whole database contains a text of an erased contact, and other people stay', async () => {
  const [acme, globex] = [await open(), await open()];
  const [ada, bea, cyd] = [newMark('ada'), newMark('bea'), newMark('cyd')];
  const person = await live(acme, ada);
  await live(acme, bea);
  await live(globex, cyd);
  const other = (
    await acme.admin.send('POST', '/api/v1/tickets', { agentId: acme.agent.id, subject: bea, requesterEmail: `${bea}@example.com` })
  ).body;
  await acme.admin.graphql('mutation ($id: ID!, $duplicateId: ID!) { mergeTicket(id: $id, duplicateId: $duplicateId) { id } }', {
    id: other.id,
    duplicateId: person.duplicate.id,
  });
  await acme.admin.graphql('mutation ($id: ID!, $tags: [String!]!) { setTicketTags(id: $id, tags: $tags) { id } }', {
    id: person.ticket.id,
    tags: [ada],
  });
  const before = { bea: await tablesOf(bea), cyd: await tablesOf(cyd) };
  expect(before.bea).toEqual(await tablesOf(ada));
  expect(before.bea).toEqual([
    ...[
      'agent.contacts',
      'agent.conversations',
      'agent.form_submissions',
      'agent.handoffs',
      'agent.leads',
      'agent.messages',
      'agent.page_contexts',
      'agent.reply_parts',
    ],
    ...['agent.ticket_messages', 'agent.tickets', 'agent.tool_calls', 'identity.idempotency_keys', 'webhooks.events'],
  ]);

  const records = await readExport(acme.admin.graphql, person.contactId);
  expect(
    Object.fromEntries(
      Map.groupBy(records, ({ type }) => type as string)
        .entries()
        .map(([type, all]) => [type, all.length]),
    ),
  ).toEqual({
    contact: 1,
    lead: 3,
    submission: 2,
    ticket: 3,
    ticketMessage: 4,
    conversation: 2,
    pageContext: 2,
    message: 10,
    handoff: 1,
    toolCall: 1,
  });
  expect(JSON.stringify(records)).not.toContain(bea);
  expect(records).toContainEqual(expect.objectContaining({ type: 'ticket', tags: [ada] }));
  const counts = async () =>
    (
      await db().query(
        'select (select count(*)::int from agent.messages where organization_id = $1) as messages, (select count(*)::int from agent.leads where organization_id = $1) as leads',
        [acme.id],
      )
    ).rows[0];
  const all = await counts();

  expect(await acme.admin.graphql(ERASE, { id: person.contactId })).toEqual({
    eraseContact: { id: person.contactId, completedAt: null },
  });
  expect(await erased(acme.admin.graphql, person.contactId)).toEqual({
    completedAt: expect.any(String),
    conversations: 2,
    messages: 10,
    leads: 3,
    submissions: 2,
    tickets: 3,
  });
  expect(await tablesOf(ada)).toEqual([]);
  expect({ bea: await tablesOf(bea), cyd: await tablesOf(cyd) }).toEqual(before);
  expect(await counts()).toEqual({ messages: all.messages / 2, leads: all.leads / 2 });
  await person.socket.close();

  const read = await acme.admin.graphql(
    'query ($id: ID!) { ticket(id: $id) { ticketNumber subject status tags requesterEmail erasedAt contact { id } } }',
    { id: person.ticket.id },
  );
  expect(read.ticket).toEqual({
    ticketNumber: person.ticket.ticketNumber,
    subject: 'Erased',
    status: 'cancelled',
    tags: [],
    requesterEmail: null,
    erasedAt: expect.any(String),
    contact: null,
  });
  for (const mutation of ['replyToTicket', 'addRequesterReply', 'addTicketNote'])
    expect(
      await acme.admin.refusal(`mutation ($id: ID!) { ${mutation}(id: $id, text: "x") { id } }`, { id: person.ticket.id }),
    ).toMatchObject({ code: 'UNPROCESSABLE' });
  const { auditLog } = await acme.admin.graphql(
    'query ($id: ID!) { auditLog(subjectId: $id) { nodes { action actor subject user { id } } } }',
    { id: person.contactId },
  );
  expect(auditLog.nodes).toEqual([{ action: 'erased', actor: 'user', subject: 'contact', user: { id: acme.owner.id } }]);
  expect(await acme.admin.refusal('query ($id: ID!) { contact(id: $id) { id } }', { id: person.contactId })).toMatchObject({
    code: 'NOT_FOUND',
  });
  // Erasing twice is harmless, and a new message makes a new contact.
  expect((await acme.admin.graphql(ERASE, { id: person.contactId })).eraseContact.completedAt).toEqual(expect.any(String));
  expect((await person.say('again', person.conversationId)).status).toBe(404);
  const { body } = await acme.admin.send('POST', '/api/v1/leads', { agentId: acme.agent.id, email: person.email });
  expect(body.contactId).not.toBe(person.contactId);
});

test('a reply that is being written when its contact is erased writes nothing back, and the chat ends', async () => {
  const acme = await open();
  const mark = newMark('eve');
  const visitorId = randomUUID();
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const ticket = { subject: mark, description: mark, requesterEmail: `${mark}@example.com` };
  provider.on(mark, async (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') return response.text(`Done, ${mark}`).finish();
    if (!messages.at(-1)!.content?.includes('late')) return response.text(`Hello ${mark}`).finish();
    response.text(`One moment, ${mark}`);
    asked.resolve();
    await released.promise;
    response
      .call(0, 'c1', 'send_mail', JSON.stringify({ to: mark }))
      .call(1, 'c2', 'create_support_ticket', JSON.stringify(ticket))
      .call(2, 'c3', 'request_person', JSON.stringify({ reason: mark }))
      .finish('tool_calls');
  });
  const headers = { origin: ORIGIN, 'x-visitor-id': visitorId };
  const { conversationId } = await send(acme.widgetPath, question(`${mark} hello`), headers);
  const email = `${mark}@example.com`;
  await acme.visit(visitorId)('POST', '/leads', { name: mark, email, conversationId });
  const { leads } = (await acme.admin.get(`/api/v1/leads?email=${email}`)).body;
  const credits = () => db().query('select credits::float from identity.organizations where id = $1', [acme.id]);
  const { credits: before } = (await credits()).rows[0];
  const late = send(acme.widgetPath, { ...question(`${mark} late`), conversationId }, headers);
  await asked.promise;
  await acme.admin.graphql(ERASE, { id: leads[0].contactId });
  await erased(acme.admin.graphql, leads[0].contactId);
  released.resolve();
  expect((await late).parts.at(-1)).toMatchObject({ type: 'finish' });
  // Late writes would follow at once.
  await sleep(1_000);
  expect(await tablesOf(mark)).toEqual([]);
  expect((await credits()).rows[0].credits).toBe(before);
});

test('an erasure that a killed process left is finished by the sweep', async () => {
  const acme = await open();
  const mark = newMark('fay');
  const { contactId, conversationId } = await live(acme, mark);
  const doomed = await startGateway({ DATABASE_URL: own.url });
  const isBlocked = async () => (await db().query(BLOCKED)).rows.length > 0;
  await duringTransaction(
    (other) => other.query('select from agent.conversations where id = $1 for update', [conversationId]),
    async () => {
      await caller(acme.key, { url: doomed.addresses.url }).graphql(ERASE, { id: contactId });
      await until(isBlocked);
    },
    () => doomed.stop('SIGKILL'),
    db(),
  );
  expect(await tablesOf(mark)).toContain('agent.messages');
  expect(
    (await acme.admin.graphql('query ($id: ID!) { contact(id: $id) { email name erasure { completedAt } } }', { id: contactId }))
      .contact,
  ).toEqual({
    email: null,
    name: null,
    erasure: { completedAt: null },
  });
  // The sweep leaves new erasures to their process.
  await db().query(`update agent.form_submissions set created_at = now() - interval '1 hour' where organization_id = $1`, [
    acme.id,
  ]);
  await db().query(`update agent.erasures set created_at = now() - interval '1 minute' where id = $1`, [contactId]);
  await Promise.all([sweepConversations(services), sweepConversations(services)]);
  await erased(acme.admin.graphql, contactId);
  expect(await tablesOf(mark)).toEqual([]);
});

const BLOCKED = `
  select from pg_stat_activity where wait_event_type = 'Lock' and query like '%agent.conversations%' and pid <> pg_backend_pid()`;

test('a contact with many records is exported in parts, and erased in short transactions', async () => {
  const acme = await open();
  const mark = newMark('gus');
  const { body } = await acme.admin.send('POST', '/api/v1/leads', {
    agentId: acme.agent.id,
    name: mark,
    email: `${mark}@example.com`,
  });
  const [conversationId, contactId] = [randomUUID(), body.contactId];
  await db().query(
    `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status, contact_id, message_count)
     values ($1, $2, $3, $4, 'widget', 'open', $5, 4000)`,
    [conversationId, acme.id, acme.agent.id, randomUUID(), contactId],
  );
  await db().query(
    `insert into agent.messages (id, organization_id, conversation_id, position, role, text, parts, status)
     select gen_random_uuid(), $1, $2, n, 'user', $3 || n, case when n <= 3 then to_jsonb(array[repeat('x', 900000)]) else '[]' end, 'complete'
       from generate_series(1, 4000) n`,
    [acme.id, conversationId, mark],
  );
  const { exportContact: first } = await acme.admin.graphql(EXPORT, { id: contactId });
  expect(first.records.map(({ type }: { type: string }) => type)).toEqual(['contact', 'lead']);
  const records = await readExport(acme.admin.graphql, contactId);
  const positions = records.flatMap(({ type, position }) => (type === 'message' ? [position] : []));
  expect(positions).toEqual(Array.from({ length: 4_000 }, (_, index) => index + 1));
  await acme.admin.graphql(ERASE, { id: contactId });
  expect(await erased(acme.admin.graphql, contactId)).toMatchObject({ conversations: 1, messages: 4_000, leads: 1 });
  expect(await tablesOf(mark)).toEqual([]);
});

test('only owners and admins of the organization export and erase its contacts', async () => {
  const [acme, globex] = [await open(), await open()];
  const { contactId: id } = (
    await acme.admin.send('POST', '/api/v1/leads', { agentId: acme.agent.id, name: 'Ada', email: 'ada@example.com' })
  ).body;
  const member = caller((await acme.addMember('member')).key, { url: gateway.url });
  for (const operation of [ERASE, EXPORT]) {
    expect(await member.refusal(operation, { id })).toMatchObject({ code: 'FORBIDDEN' });
    for (const unknown of [randomUUID(), 'x'])
      expect(await acme.admin.refusal(operation, { id: unknown })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await globex.admin.refusal(operation, { id })).toMatchObject({ code: 'NOT_FOUND' });
  }
  const cursor = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url');
  for (const after of [
    'x',
    cursor([1, ['x', 'y']]),
    cursor([99, ['2026-01-01 00:00:00+00', id]]),
    cursor([1, ['2026-99-01 00:00:00+00', id]]),
    cursor([-1, []]),
    cursor(null),
  ])
    expect(await acme.admin.refusal(EXPORT, { id, after })).toMatchObject({ code: 'INVALID_INPUT' });
  expect((await acme.admin.graphql('query ($id: ID!) { contact(id: $id) { email erasure { id } } }', { id })).contact).toEqual({
    email: 'ada@example.com',
    erasure: null,
  });
});
