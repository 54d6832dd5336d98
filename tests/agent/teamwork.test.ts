import { randomUUID } from 'node:crypto';
import { database } from '../support/seed.ts';
import { CREATE, openAgents } from './operations.ts';

const ORIGIN = 'https://shop.example.com';
const graph = await openAgents();
afterAll(() => graph.close());
const sql = (text: string, values: unknown[]) => database(graph.url).query(text, values);

const acme = await graph.seed({ modules: ['helpdesk'] });
const owner = graph.caller(acme.key);
const { createAgent: agent } = await owner.ask(CREATE, { input: { name: 'Zoe', allowedOrigins: [ORIGIN] } });
const visitor = graph.caller(undefined, { origin: ORIGIN });
const ASK = 'mutation ($slug: String!) { requestHandoff(publicSlug: $slug) { conversationId visitorId } }';
const wait = async () =>
  (await visitor.ask(ASK, { slug: agent.publicSlug })).requestHandoff as { conversationId: string; visitorId: string };
const { rows: members } = await sql(
  'select m.user_id as id, u.name from identity.memberships m join identity.users u on u.id = m.user_id where m.organization_id = $1',
  [acme.id],
);
const me: { id: string; name: string } = members[0];

test('notes, tags and the assignment of a conversation are for the team, and select conversations', async () => {
  const { conversationId: id, visitorId } = await wait();
  const { addConversationNote: note } = await owner.ask(
    'mutation ($id: ID!) { addConversationNote(id: $id, text: "Secret note") { authorName text } }',
    { id },
  );
  expect(note).toEqual({ authorName: me.name, text: 'Secret note' });
  await owner.ask('mutation ($id: ID!, $tags: [String!]!) { setConversationTags(id: $id, tags: $tags) { id } }', {
    id,
    tags: ['VIP', ' refund', 'vip'],
  });
  const ASSIGN = 'mutation ($id: ID!, $userId: ID) { assignConversation(id: $id, userId: $userId) { assignedToName } }';
  expect((await owner.ask(ASSIGN, { id, userId: me.id })).assignConversation).toEqual({ assignedToName: me.name });
  expect(await owner.refusal(ASSIGN, { id, userId: randomUUID() })).toBe('NOT_FOUND: Member not found');

  const READ = `query ($id: ID!) { conversation(id: $id) {
    tags assignedToUserId notes(page: 1, limit: 50) { nodes { text } } messages(page: 1, limit: 50) { nodes { text } } } }`;
  expect((await owner.ask(READ, { id })).conversation).toEqual({
    tags: ['refund', 'vip'],
    assignedToUserId: me.id,
    notes: { nodes: [{ text: 'Secret note' }] },
    messages: { nodes: [] },
  });
  const LIST = `query ($tag: String, $userId: ID) { conversations(tag: $tag, assignedToUserId: $userId, page: 1, limit: 20) { nodes { id } } }`;
  const listed = async (variables: object) =>
    (await owner.ask(LIST, { ...variables })).conversations.nodes.map((each: { id: string }) => each.id);
  expect(await listed({ tag: 'VIP' })).toEqual([id]);
  expect(await listed({ tag: 'v' })).toEqual([]);
  expect(await listed({ userId: me.id })).toEqual([id]);
  await owner.ask(ASSIGN, { id, userId: null });
  expect(await listed({ userId: me.id })).toEqual([]);

  const SEEN = `query ($slug: String!, $visitorId: String, $id: ID!) {
    widgetConversation(publicSlug: $slug, visitorId: $visitorId, conversationId: $id) { id operatorName messages { text } } }`;
  const seen = await visitor.ask(SEEN, { slug: agent.publicSlug, visitorId, id });
  expect(JSON.stringify(seen)).not.toMatch(/Secret|refund/);
});

test('a member who leaves has no conversations any more, and each says so, also beyond the quota', async () => {
  const own = await graph.seed({ modules: ['helpdesk'] });
  const boss = graph.caller(own.key);
  const { createAgent: zoe } = await boss.ask(CREATE, { input: { name: 'Zoe', allowedOrigins: [ORIGIN] } });
  const ask = async () => (await visitor.ask(ASK, { slug: zoe.publicSlug })).requestHandoff.conversationId as string;
  const join = async (name: string) => {
    const { rows } = await sql(
      `with u as (insert into identity.users (id, email, name) values (gen_random_uuid(), gen_random_uuid() || '@example.com', $2) returning id)
       insert into identity.memberships (organization_id, user_id, role) select $1, id, 'member' from u returning user_id as id`,
      [own.id, name],
    );
    return rows[0].id as string;
  };
  const [ada, bob] = [await join('Ada'), await join('Bob')];
  const [first, second, third] = [await ask(), await ask(), await ask()];
  const ASSIGN = 'mutation ($id: ID!, $userId: ID) { assignConversation(id: $id, userId: $userId) { id } }';
  for (const id of [first, second]) await boss.ask(ASSIGN, { id, userId: ada });
  await boss.ask(ASSIGN, { id: third, userId: bob });
  await sql('update identity.organizations set storage_quota = 0 where id = $1', [own.id]);
  await sql('delete from identity.memberships where organization_id = $1 and user_id = $2', [own.id, ada]);
  const READ = `query ($id: ID!) { conversation(id: $id) {
    assignedToUserId assignedToName notes(page: 1, limit: 50) { nodes { kind authorId authorName text } } } }`;
  const nodes = [{ kind: 'left', authorId: ada, authorName: 'Ada', text: '' }];
  for (const id of [first, second])
    expect((await boss.ask(READ, { id })).conversation).toEqual({ assignedToUserId: null, assignedToName: null, notes: { nodes } });
  expect((await boss.ask(READ, { id: third })).conversation).toEqual({
    assignedToUserId: bob,
    assignedToName: 'Bob',
    notes: { nodes: [] },
  });
  expect(await boss.refusal(ASSIGN, { id: first, userId: ada })).toBe('NOT_FOUND: Member not found');
});

test('assignments and the removal of their member at once leave nothing assigned', async () => {
  const own = await graph.seed({ modules: ['helpdesk'] });
  const boss = graph.caller(own.key);
  const { createAgent: zoe } = await boss.ask(CREATE, { input: { name: 'Zoe', allowedOrigins: [ORIGIN] } });
  const ids = await Promise.all(
    Array.from({ length: 12 }, async () => (await visitor.ask(ASK, { slug: zoe.publicSlug })).requestHandoff.conversationId),
  );
  const { rows } = await sql(
    `with u as (insert into identity.users (id, email, name) values (gen_random_uuid(), gen_random_uuid() || '@example.com', 'Eve') returning id)
     insert into identity.memberships (organization_id, user_id, role) select $1, id, 'member' from u returning user_id as id`,
    [own.id],
  );
  const userId = rows[0].id;
  const ASSIGN = 'mutation ($id: ID!, $userId: ID) { assignConversation(id: $id, userId: $userId) { id } }';
  const half = ids.slice(0, 6);
  for (const id of half) await boss.ask(ASSIGN, { id, userId });
  const answers = await Promise.all([
    ...ids.map((id) => boss.refusal(ASSIGN, { id, userId })),
    sql('delete from identity.memberships where organization_id = $1 and user_id = $2', [own.id, userId]).then(() => undefined),
  ]);
  expect(answers.filter((answer) => answer && answer !== 'NOT_FOUND: Member not found')).toEqual([]);
  const { rows: left } = await sql(
    'select id from agent.conversations where organization_id = $1 and assigned_to_user_id is not null',
    [own.id],
  );
  expect(left).toEqual([]);
});

test('a conversation has up to 200 notes of up to 4,000 characters', async () => {
  const { conversationId: id } = await wait();
  const ADD = 'mutation ($id: ID!, $text: String!) { addConversationNote(id: $id, text: $text) { id } }';
  expect(await owner.refusal(ADD, { id, text: 'x'.repeat(4_001) })).toMatch(/^INVALID_INPUT/);
  await sql(
    `insert into agent.conversation_notes (id, organization_id, conversation_id, kind, author_id, author_name, text)
     select gen_random_uuid(), $1, $2, case when n > 198 then 'left' else 'note' end, $3, 'Ada', 'n' from generate_series(1, 203) n`,
    [acme.id, id, me.id],
  );
  const answers = await Promise.all(Array.from({ length: 4 }, () => owner.refusal(ADD, { id, text: 'x'.repeat(4_000) })));
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(2);
  expect(answers.find((answer) => answer !== undefined)).toBe('LIMIT_REACHED: A conversation can have up to 200 notes.');
});

test('tags of tickets are for the team, and select tickets', async () => {
  const MAKE = 'mutation ($input: NewTicket!) { createTicket(input: $input) { id tags lastActivityAt } }';
  const make = async () => (await owner.ask(MAKE, { input: { agentId: agent.id, subject: 'Lamp' } })).createTicket;
  const [first, second] = [await make(), await make()];
  expect(first.tags).toEqual([]);
  const TAG = 'mutation ($id: ID!, $tags: [String!]!) { setTicketTags(id: $id, tags: $tags) { tags lastActivityAt } }';
  const tag = async (id: string, tags: string[]) => (await owner.ask(TAG, { id, tags })).setTicketTags;
  const tagged = await tag(first.id, ['VIP', ' <b>', 'vip']);
  expect(tagged.tags).toEqual(['<b>', 'vip']);
  expect(tagged.lastActivityAt > second.lastActivityAt).toBe(true);
  // The same tags change nothing.
  expect(await tag(first.id, ['vip', '<B>'])).toEqual(tagged);
  await tag(second.id, ['vips']);
  const LIST = 'query ($tag: String, $status: TicketStatus) { tickets(tag: $tag, status: $status, limit: 20) { id tags } }';
  const listed = async (variables: object) => (await owner.ask(LIST, { ...variables })).tickets.map(({ id }: { id: string }) => id);
  expect(await listed({ tag: ' Vip ' })).toEqual([first.id]);
  expect(await listed({ tag: 'vip', status: 'closed' })).toEqual([]);
  expect(await listed({ tag: '<b>\0' }).catch(() => [])).toEqual([]);

  for (const tags of [['x'.repeat(41)], Array.from({ length: 21 }, (_, nth) => `t${nth}`), ['a\0'], ['a\nb'], ['']])
    expect(await owner.refusal(TAG, { id: first.id, tags })).toMatch(/^INVALID_INPUT/);
  const foreign = graph.caller((await graph.seed({ modules: ['helpdesk'] })).key);
  expect(await foreign.refusal(TAG, { id: first.id, tags: [] })).toBe('NOT_FOUND: Ticket not found');
  expect((await foreign.ask(LIST, { tag: 'vip' })).tickets).toEqual([]);
  expect(await graph.caller((await graph.seed()).key).refusal(TAG, { id: first.id, tags: [] })).toMatch(/^PLAN_REQUIRED/);
  await tag(first.id, []);
  expect(await listed({ tag: 'vip' })).toEqual([]);
});

test('a ticket from a conversation names the contact as its requester', async () => {
  const { conversationId } = await wait();
  await sql(
    `with known as (insert into agent.contacts (id, organization_id, email, name) values (gen_random_uuid(), $1, 'ada@example.com', 'Ada') returning id)
     update agent.conversations set contact_id = (select id from known) where id = $2`,
    [acme.id, conversationId],
  );
  const MAKE = `mutation ($id: ID!) { createTicketFromConversation(conversationId: $id, subject: "Broken lamp") {
    requesterName requesterEmail conversationId agentName status } }`;
  expect((await owner.ask(MAKE, { id: conversationId })).createTicketFromConversation).toEqual({
    requesterName: 'Ada',
    requesterEmail: 'ada@example.com',
    conversationId,
    agentName: 'Zoe',
    status: 'new',
  });
  const foreign = graph.caller((await graph.seed({ modules: ['helpdesk'] })).key);
  expect(await foreign.refusal(MAKE, { id: conversationId })).toBe('NOT_FOUND: Conversation not found');
  expect(await graph.caller((await graph.seed()).key).refusal(MAKE, { id: conversationId })).toMatch(/^PLAN_REQUIRED/);
});

test('a visitor who waits knows the place in line, until somebody takes over', async () => {
  await sql(`update agent.handoffs set status = 'closed' where organization_id = $1`, [acme.id]);
  const [first, second] = [await wait(), await wait()];
  const placeOf = async ({ conversationId: id, visitorId }: typeof first) => {
    const MINT = `query ($slug: String!, $visitorId: String, $id: ID) {
      handoffToken(publicSlug: $slug, visitorId: $visitorId, conversationId: $id) { token } }`;
    const { handoffToken } = await visitor.ask(MINT, { slug: agent.publicSlug, visitorId, id });
    return (await graph.caller(undefined, { 'x-handoff-token': handoffToken.token }).ask('{ visitorHandoffPlace }'))
      .visitorHandoffPlace;
  };
  expect([await placeOf(first), await placeOf(second)]).toEqual([1, 2]);
  await owner.ask('mutation ($id: ID!) { takeOverConversation(conversationId: $id, force: false) { id } }', {
    id: first.conversationId,
  });
  expect([await placeOf(first), await placeOf(second)]).toEqual([null, 1]);
  expect(await visitor.refusal('{ visitorHandoffPlace }')).toMatch(/^MISSING_KEY/);
});

test('a submission has the labels of its form', async () => {
  await owner.ask(
    `mutation ($agentId: ID!) { createCustomForm(agentId: $agentId, input: {
      name: "returns", title: "Returns", enabled: true, fields: [{ name: "order_no", label: "Order number", type: text, required: false, options: [] }] }) { id } }`,
    { agentId: agent.id },
  );
  await visitor.ask(
    'mutation ($slug: String!) { submitWidgetForm(publicSlug: $slug, formName: "returns", values: { order_no: "A-1" }) { id } }',
    { slug: agent.publicSlug },
  );
  const { customFormSubmissions } = await owner.ask(
    'query ($limit: ListLimit!) { customFormSubmissions(limit: $limit) { values labels } }',
    { limit: 10 },
  );
  expect(customFormSubmissions).toEqual([{ values: { order_no: 'A-1' }, labels: { order_no: 'Order number' } }]);
});
