import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { Secrets } from '../../../platform/secrets/index.ts';
import { sweepHandoffs } from '../../../subgraphs/agent/handoff/service.ts';
import { caller } from '../../support/client.ts';
import { database } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { ORIGIN, question, read, seedAgent, send, textOf, typesOf } from '../chat/chatting.ts';
import { openInProcess } from '../in-process.ts';
import {
  closeOffice,
  connect,
  mintToken,
  OPERATOR_EVENTS,
  openHandoffs,
  requestPerson,
  SEND_OPERATOR,
  SEND_VISITOR,
  summaryOf,
  TAKE_OVER,
  VISITOR_EVENTS,
} from './handing-off.ts';

const { provider, gateway, acme, active, write, close } = await openHandoffs();
afterAll(close);
const colleague = caller((await acme.addMember('member')).key, { url: gateway.url });

test('closing revokes the token, and a new one follows the next handoff', async () => {
  const talk = await active();
  const old = await mintToken(acme, talk);
  expect((await talk.visitor.run('mutation { endHandoff }')).data.endHandoff).toBe(true);
  const refused = connect(gateway.url, { handoffToken: old });
  expect((await refused.run(VISITOR_EVENTS, { after: 0 })).errors[0].extensions.code).toBe('INVALID_KEY');
  expect((await refused.run(SEND_VISITOR, { text: 'still here' })).errors[0].extensions.code).toBe('INVALID_KEY');
  expect((await requestPerson(acme, { conversationId: talk.conversationId }, talk.visitorId)).body.status).toBe('waiting');
  const renewed = connect(gateway.url, { handoffToken: await mintToken(acme, talk) });
  const { events } = renewed.events(VISITOR_EVENTS);
  await until(() => events.length === 4);
  expect(events.map(({ status }) => status)).toEqual(['waiting', 'active', 'closed', 'waiting']);
  await Promise.all([refused.close(), renewed.close(), talk.close()]);
});

test('no token, a forged token and a token of another purpose are refused', async () => {
  const talk = await active();
  const claims = { organizationId: acme.id, version: 0 };
  const forge = (key: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(talk.conversationId)
      .setAudience('handoff')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(key));
  const unsigned = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ ...claims, sub: talk.conversationId, aud: 'handoff' }))}.`;
  for (const handoffToken of [undefined, 'x', '__proto__', unsigned, await forge('a'.repeat(32))]) {
    const stranger = connect(gateway.url, { handoffToken });
    const { errors } = await stranger.run(SEND_VISITOR, { text: 'let me in' });
    expect(errors[0].extensions.code).toMatch(/^(MISSING|INVALID)_KEY$/);
    await stranger.close();
  }
  await talk.close();
});

test('a subscription ends when its token expires', async () => {
  const talk = await active();
  const expiring = await new SignJWT({ organizationId: acme.id, version: 0 })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(talk.conversationId)
    .setAudience('handoff')
    .setExpirationTime(new Date(Date.now() + 5_000))
    .sign(new Secrets(['the-key-of-the-tests-and-of-nothing-else']).tokenKey('handoff'));
  const visitor = connect(gateway.url, { handoffToken: expiring });
  const { events, ended } = visitor.events(VISITOR_EVENTS);
  await ended;
  expect(events.map(({ status }) => status)).toEqual(['waiting', 'active']);
  await Promise.all([visitor.close(), talk.close()]);
});

test('a handoff without a message for a day is closed', async () => {
  const { services, close } = await openInProcess();
  const [idle, busy] = [await active(), await active()];
  try {
    const { events, ended } = idle.visitor.events(VISITOR_EVENTS);
    // A closed handoff accepts no new subscription.
    await until(() => events.length === 2);
    await database().query(
      `with aged as (update agent.conversations set last_message_at = now() - interval '2 days' where id = $1)
       update agent.handoffs set created_at = now() - interval '2 days', taken_at = now() - interval '2 days' where id = $2`,
      [idle.conversationId, idle.id],
    );
    await sweepHandoffs(services);
    await ended;
    const READ = 'query ($id: ID!) { handoff(id: $id) { status endedBy } }';
    expect((await acme.admin.graphql(READ, { id: idle.id })).handoff).toEqual({ status: 'closed', endedBy: null });
    expect((await acme.admin.graphql(READ, { id: busy.id })).handoff.status).toBe('active');
  } finally {
    await Promise.all([idle.close(), busy.close(), close()]);
  }
});

test('the conversation of an operator who leaves the organization waits for another person, and the agent answers again', async () => {
  const { services, close } = await openInProcess();
  const leaver = await acme.addMember('member');
  const talk = await active();
  try {
    await caller(leaver.key, { url: gateway.url }).graphql(TAKE_OVER, { id: talk.conversationId, force: true });
    const readStatus = async () =>
      (await acme.admin.graphql('query ($id: ID!) { handoff(id: $id) { status operatorName } }', { id: talk.id })).handoff;
    await sweepHandoffs(services);
    expect(await readStatus()).toMatchObject({ status: 'active' });
    await acme.admin.graphql('mutation ($id: ID!) { removeMember(userId: $id) { deleted } }', { id: leaver.id });
    await sweepHandoffs(services);
    expect(await readStatus()).toEqual({ status: 'waiting', operatorName: null });
    const headers = { origin: ORIGIN, 'x-visitor-id': talk.visitorId };
    const { parts } = await send(acme.widgetPath, { ...question('anybody there?'), conversationId: talk.conversationId }, headers);
    expect(textOf(parts)).not.toBe('');
    expect(await acme.admin.graphql(TAKE_OVER, { id: talk.conversationId })).toMatchObject({
      takeOverConversation: { id: talk.id, status: 'active' },
    });
  } finally {
    await Promise.all([talk.close(), close()]);
  }
});

test('only one of two operators gets a conversation, and a colleague takes it by force', async () => {
  const { body } = await requestPerson(acme);
  const id = body.conversationId;
  const answers = await Promise.all(
    [acme.admin, colleague].map((each) => each.post('/graphql', { query: TAKE_OVER, variables: { id } })),
  );
  const codes = answers.map((each) => each.body.errors?.[0].extensions.code);
  expect(codes.sort()).toEqual(['CONFLICT', undefined]);
  const handoff = answers.find((each) => !each.body.errors)!.body.data.takeOverConversation;
  const { data } = (await colleague.post('/graphql', { query: TAKE_OVER, variables: { id, force: true } })).body;
  expect(data.takeOverConversation).toMatchObject({ id: handoff.id, status: 'active' });
  expect(await acme.admin.refusal(SEND_OPERATOR, { id: handoff.id, text: 'mine' })).toMatchObject({ code: 'CONFLICT' });
  await colleague.graphql(SEND_OPERATOR, { id: handoff.id, text: 'now mine' });
});

test('a take-over stops the running reply, and the model stays silent', async () => {
  provider.on('take-over-while-writing', (response) => void response.text('I think'));
  const response = await fetch(acme.widgetPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN },
    body: JSON.stringify(question('take-over-while-writing')),
  });
  const sender = {
    conversationId: response.headers.get('x-conversation-id')!,
    visitorId: response.headers.get('x-visitor-id')!,
  };
  await acme.admin.graphql(TAKE_OVER, { id: sender.conversationId });
  expect(typesOf((await read(response)).parts).at(-1)).toBe('finish');
  expect(typesOf((await write('another', sender)).parts)).toEqual(['start', 'start-step', 'finish-step', 'finish']);
});

test('messages that race a take-over are all stored, and each is answered by the model or delivered', async () => {
  const { body } = await requestPerson(acme);
  const sender = body as { conversationId: string; visitorId: string };
  const replies = await Promise.all([
    ...Array.from({ length: 4 }, (_, nth) => write(`race ${nth}`, sender)),
    acme.admin.graphql(TAKE_OVER, { id: sender.conversationId }),
    ...Array.from({ length: 4 }, (_, nth) => write(`race ${nth + 4}`, sender)),
  ]);
  const accepted = replies.filter((each) => 'status' in each && each.status === 200);
  const { rows } = await database().query(
    `select position, role from agent.messages where conversation_id = $1 order by position`,
    [sender.conversationId],
  );
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.filter(({ role }) => role === 'user')).toHaveLength(accepted.length);
});

test('the agent asks for a person with its tool, and answers until somebody comes', async () => {
  provider.on('a-human-please', (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.text('I have asked the team.').finish();
    else response.call(0, 'c1', 'request_person', '{"reason":"Wants a human"}').finish('tool_calls');
  });
  const reply = await send(acme.widgetPath, question('a-human-please'), { origin: ORIGIN });
  expect(textOf(reply.parts)).toBe('I have asked the team.');
  expect(textOf((await write('meanwhile', reply)).parts)).toBe('Echo: meanwhile');
  const operator = connect(gateway.url, { 'x-api-key': acme.key });
  const { events } = operator.events(OPERATOR_EVENTS, { id: reply.conversationId, after: 0 });
  await until(() => events.length === 4);
  expect(summaryOf(events)).toEqual([
    'status waiting agent',
    'message waiting agent I have asked the team.',
    'message waiting visitor meanwhile',
    'message waiting agent Echo: meanwhile',
  ]);
  const taken = (await acme.admin.graphql(TAKE_OVER, { id: reply.conversationId })).takeOverConversation;
  expect(taken).toMatchObject({ requestedBy: 'agent', reason: 'Wants a human', status: 'active' });
  expect(provider.requests('a-human-please')[0]!.tools!.map((each) => each.function.name)).toContain('request_person');
  await operator.close();
});

test('outside of the office hours, a request waits for the next opening: visitor, operators and the model know it', async () => {
  const shop = await seedAgent(gateway.url, {}, { modules: ['helpdesk'], credits: 100 });
  const READ = 'query ($id: ID!) { agent(id: $id) { officeHours { timeZone closedDates } } }';
  const READ_HANDOFFS = '{ handoffs { nodes { id status requestedBy awayUntil } } }';
  const AWAY = '{ place: visitorHandoffPlace away: visitorHandoffAway { message opensAt } }';
  provider.on('nobody-there', (response, { messages }) => {
    const last = messages.at(-1)!;
    if (last.role === 'tool') response.text(`The tool said: ${last.content}`).finish();
    else response.call(0, 'c1', 'request_person', '{"reason":"Wants a human"}').finish('tool_calls');
  });
  const { opensAt, reopen } = await closeOffice(shop, 'We are on a trip.');
  expect((await shop.admin.graphql(READ, { id: shop.agent.id })).agent.officeHours).toEqual({ timeZone: 'UTC', closedDates: [] });

  // The button of the widget: the request is open as always.
  const { status, body } = await requestPerson(shop);
  expect({ status, handoff: body.status, keys: Object.keys(body).sort() }).toEqual({
    status: 201,
    handoff: 'waiting',
    keys: ['conversationId', 'createdAt', 'id', 'status', 'visitorId'],
  });
  const visitor = connect(gateway.url, { handoffToken: await mintToken(shop, body) });
  const away = { message: 'We are on a trip.', opensAt: opensAt.toISOString() };
  expect((await visitor.run(AWAY)).data).toEqual({ place: 1, away });

  // The tool of the model.
  const said = textOf((await send(shop.widgetPath, question('nobody-there'), { origin: ORIGIN })).parts);
  const day = opensAt.toLocaleString('en-GB', { timeZone: 'UTC', dateStyle: 'full', timeStyle: 'short' });
  expect(said).toContain(`outside of its office hours. It is back on ${day} (UTC)`);
  expect(said).toContain('We are on a trip.');

  // Operators see it later, too, and nobody closes the request while the team cannot know of it.
  const { services, close: closeServices } = await openInProcess();
  await database().query(
    `with aged as (update agent.conversations set last_message_at = now() - interval '2 days' where organization_id = $1)
     update agent.handoffs set created_at = now() - interval '2 days' where organization_id = $1`,
    [shop.id],
  );
  await sweepHandoffs(services);
  await closeServices();
  await reopen();
  expect((await visitor.run(AWAY)).data.away).toBeNull();
  expect((await shop.admin.graphql(READ, { id: shop.agent.id })).agent.officeHours).toBeNull();
  const { nodes } = (await shop.admin.graphql(READ_HANDOFFS)).handoffs;
  const expected = { status: 'waiting', awayUntil: opensAt.toISOString() };
  expect(nodes).toHaveLength(2);
  for (const each of nodes) expect(each).toMatchObject(expected);

  // Within the hours, and for a person who takes over without a request, nothing is different.
  await requestPerson(shop);
  expect((await shop.admin.graphql(READ_HANDOFFS)).handoffs.nodes[0].awayUntil).toBeNull();
  await visitor.close();
});

test('wrong office hours are refused', async () => {
  const shop = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
  const { agent, admin } = shop;
  const SET = 'mutation ($id: ID!, $hours: OfficeHoursInput!) { setOfficeHours(agentId: $id, officeHours: $hours) { id } }';
  const span = { weekday: 1, opensAt: '09:00', closesAt: '12:00' };
  const set = (id: string, hours: object = {}) => admin.graphql(SET, { id, hours: { timeZone: 'UTC', spans: [span], ...hours } });
  await expect(set(agent.id, { spans: [span, { ...span, opensAt: '11:00', closesAt: '13:00' }] })).rejects.toThrow(/overlap/);
  await expect(set(agent.id, { timeZone: '+01:00' })).rejects.toThrow(/IANA/);
  await expect(set(agent.id, { spans: [{ ...span, weekday: 8 }] })).rejects.toThrow(/weekday/);
  await expect(set(agent.id, { spans: [] })).rejects.toThrow(/spans/);
});

test('operators follow the waiting visitors of their organization in one subscription', async () => {
  const shop = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
  const operator = connect(gateway.url, { 'x-api-key': shop.key });
  const { events } = operator.events(
    'subscription { event: handoffQueue { waiting active handoffs { id status reason unseenMessages conversation { messageCount } agent { name } } } }',
    {},
  );
  await until(() => events.length === 1);
  expect(events[0]).toEqual({ waiting: 0, active: 0, handoffs: [] });
  const { body } = await requestPerson(shop, { reason: 'Help' });
  await send(
    shop.widgetPath,
    { ...question('hello'), conversationId: body.conversationId },
    {
      origin: ORIGIN,
      'x-visitor-id': body.visitorId,
    },
  );
  await until(() => events.at(-1)!.handoffs[0]?.unseenMessages === 1 && events.at(-1)!.handoffs[0].conversation.messageCount === 2);
  expect(events.at(-1)).toMatchObject({
    waiting: 1,
    active: 0,
    handoffs: [{ status: 'waiting', reason: 'Help', agent: { name: 'Zoe' } }],
  });
  const { takeOverConversation } = await shop.admin.graphql(TAKE_OVER, { id: body.conversationId });
  await until(() => events.at(-1)!.active === 1);
  await shop.admin.graphql('mutation ($id: ID!) { setConversationStatus(id: $id, status: closed) { handoffStatus } }', {
    id: body.conversationId,
  });
  await until(() => events.at(-1)!.active === 0);
  expect((await shop.admin.graphql('query ($id: ID!) { handoff(id: $id) { status } }', takeOverConversation)).handoff.status).toBe(
    'closed',
  );
  await operator.close();
});

test('deleting the conversation ends the subscriptions of both sides', async () => {
  const talk = await active();
  const streams = [
    talk.visitor.events(VISITOR_EVENTS),
    talk.operator.events(OPERATOR_EVENTS, { id: talk.conversationId, after: 0 }),
  ];
  await until(() => streams.every(({ events }) => events.length === 2));
  await acme.admin.graphql('mutation ($id: ID!) { deleteConversation(id: $id) { deleted } }', { id: talk.conversationId });
  await Promise.all(streams.map(({ ended }) => ended));
  await talk.close();
});

test('handoffs need the Helpdesk module, a conversation with a visitor, and the own organization', async () => {
  const plain = await seedAgent(gateway.url);
  expect((await requestPerson(plain)).status).toBe(403);
  const chat = await send(plain.widgetPath, question('hello'), { origin: ORIGIN });
  expect(await plain.admin.refusal(TAKE_OVER, { id: chat.conversationId })).toMatchObject({ code: 'PLAN_REQUIRED' });
  const other = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
  expect(await other.admin.refusal(TAKE_OVER, { id: chat.conversationId })).toMatchObject({ code: 'NOT_FOUND' });
  expect((await requestPerson(other, { conversationId: chat.conversationId }, chat.visitorId)).status).toBe(404);
  const asAdmin = await send(acme.adminPath, question('hello'), { 'x-api-key': acme.key });
  expect(await acme.admin.refusal(TAKE_OVER, { id: asAdmin.conversationId })).toMatchObject({ code: 'UNPROCESSABLE' });
});

test('two first requests of a visitor at once are one handoff in one conversation', async () => {
  const visitorId = randomUUID();
  const answers = await Promise.all(Array.from({ length: 4 }, () => requestPerson(acme, {}, visitorId)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id} ${body.conversationId}`)).size).toBe(1);
  expect(answers[0]!.status).toBe(201);
});
