import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { startChatProvider } from '../../support/chat-provider.ts';
import { caller } from '../../support/client.ts';
import { quickest } from '../../support/cpu-time.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { ORIGIN, question, seedAgent, send } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({
  OPENAI_BASE_URL: provider.url,
  CHAT_LIMIT_VISITOR: '1000',
  CHAT_LIMIT_IP: '1000',
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

/** The site of an organization with the module of tickets, which signs its visitors. */
async function openSite() {
  const site = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
  const { made } = await site.admin.graphql(
    'mutation ($id: ID!) { made: rotateSigningSecret(agentId: $id, purpose: identity) { secret } }',
    { id: site.agent.id },
  );
  return { ...site, secret: made.secret as string };
}
type Site = Awaited<ReturnType<typeof openSite>>;
const [acme, other] = await Promise.all([openSite(), openSite()]);

const sign = ({ secret }: Pick<Site, 'secret'>, sub: string, claims: object = { email: `${sub}@example.com` }) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(sub)
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(secret));

const outside = caller(undefined, { url: gateway.url });
/** A browser, with the token of its page if there is one. */
const browser = (site: Site, token?: string, visitorId: string = randomUUID()) => {
  const headers = { origin: ORIGIN, 'x-visitor-id': visitorId, ...(token && { 'x-identity-token': token }) };
  const path = `/api/agents/${site.agent.publicSlug}/tickets`;
  return {
    visitorId,
    say: (text: string) => send(site.widgetPath, question(text), headers),
    tickets: async () => {
      const { status, body } = await outside.send('GET', path, undefined, headers);
      return status === 200 ? body.tickets.map(({ subject }: { subject: string }) => subject).sort() : status;
    },
    whole: async (subject: string) => {
      const { body } = await outside.send('GET', path, undefined, headers);
      return body.tickets.find((each: { subject: string }) => each.subject === subject);
    },
    reply: (number: string, text: string) =>
      outside.send('POST', `${path}/${number}/replies`, { text }, { ...headers, 'idempotency-key': randomUUID() }),
  };
};
const raise = (subject: string, requesterEmail: string) =>
  provider.on(subject, (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') return response.text('Raised.').finish();
    const input = { subject, description: subject, requesterEmail };
    response.call(0, 'c1', 'create_support_ticket', JSON.stringify(input)).finish('tool_calls');
  });
const create = async (site: Site, input: object) =>
  (await site.admin.send('POST', '/api/v1/tickets', { agentId: site.agent.id, ...input })).body as {
    id: string;
    ticketNumber: string;
  };
const unique = () => `v${randomUUID().slice(0, 8)}`;

test('a signed-in visitor sees the tickets of other devices and those that name the signed address, on each of them', async () => {
  const name = unique();
  const token = await sign(acme, name);
  const [laptop, phone, stranger] = [browser(acme, token), browser(acme, token), browser(acme)];
  raise(`${name} laptop`, 'typed@example.com');
  raise(`${name} phone`, `${name}@example.com`);
  await laptop.say(`${name} laptop`);
  await phone.say(`${name} phone`);
  await create(acme, { subject: 'By mail', requesterEmail: `${name.toUpperCase()}@Example.com` });
  await create(acme, { subject: 'Of somebody else', requesterEmail: `x${name}@example.com` });
  await create(acme, { subject: 'Without an address' });
  const all = ['By mail', `${name} laptop`, `${name} phone`];
  expect([await laptop.tickets(), await phone.tickets(), await browser(acme, token).tickets()]).toEqual([all, all, all]);
  // Without the token, both browsers are strangers.
  for (const { visitorId } of [laptop, phone]) expect(await browser(acme, undefined, visitorId).tickets()).toEqual([]);
  expect(await stranger.tickets()).toEqual([]);

  // The conversation is deleted after its time, and the ticket stays.
  await database().query('delete from agent.conversations where organization_id = $1', [acme.id]);
  expect(await phone.tickets()).toEqual(all);
  const { ticketNumber } = await laptop.whole('By mail');
  const { status, body } = await phone.reply(ticketNumber, 'From my phone');
  expect([status, body.status, body.messages.map(({ text }: { text: string }) => text)]).toEqual([
    201,
    'on_you',
    ['From my phone'],
  ]);
  expect((await laptop.whole('By mail')).messages).toMatchObject([{ text: 'From my phone', isFromTeam: false }]);
});

test('an anonymous visitor sees only the tickets of the own conversations, whatever address it types', async () => {
  const name = unique();
  const victim = browser(acme, await sign(acme, name));
  await create(acme, { subject: 'Of the victim', requesterEmail: `${name}@example.com` });
  const attacker = browser(acme);
  raise(`${name} forged`, `${name}@example.com`);
  await attacker.say(`${name} forged`);
  expect(await attacker.tickets()).toEqual([`${name} forged`]);
  // The attacker would read the reply of the victim.
  expect(await victim.tickets()).toEqual(['Of the victim']);
  const { ticketNumber } = await victim.whole('Of the victim');
  expect((await attacker.reply(ticketNumber, 'Me')).status).toBe(404);
  const forged = (await attacker.whole(`${name} forged`)).ticketNumber;
  expect((await victim.reply(forged, 'Me')).status).toBe(404);
  // Also when the conversation is gone.
  await database().query('delete from agent.conversations where organization_id = $1', [acme.id]);
  expect([await attacker.tickets(), await victim.tickets()]).toEqual([[], ['Of the victim']]);
});

/** Identities whose address the site does not affirm. */
async function unverified(name: string) {
  const tokens: Record<string, string> = {};
  for (const claim of [false, 'false', 0, 1, '', 'no', null, [], {}])
    tokens[`verified: ${JSON.stringify(claim)}`] = await sign(acme, name, { email: `${name}@example.com`, email_verified: claim });
  return tokens;
}

test('a forged, foreign or unverified identity opens nothing', async () => {
  const name = unique();
  await create(acme, { subject: 'Private', requesterEmail: `${name}@example.com` });
  const tokens: Record<string, string> = {
    'another secret': await sign({ secret: 'whsec_other' }, name),
    'the secret of another agent': await sign(other, name),
    'no algorithm': `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ sub: name, email: `${name}@example.com`, exp: 9e9 }))}.`,
    ...(await unverified(name)),
    'a similar address': await sign(acme, `${name}2`, { email: `${name}@example.com.evil.example` }),
    'a pattern': await sign(acme, `${name}3`, { email: `%@example.com` }),
    'no address': await sign(acme, `${name}4`, {}),
  };
  for (const [kind, token] of Object.entries(tokens)) expect([kind, await browser(acme, token).tickets()]).toEqual([kind, []]);
  // The visitor id of a signed-in visitor is no browser's.
  const { rows } = await database().query('select id from agent.visitors where organization_id = $1', [acme.id]);
  expect(rows.length).toBeGreaterThan(0);
  for (const { id } of rows) {
    expect(await browser(acme, undefined, `verified:${id}`).tickets()).toBe(400);
    expect(await browser(acme, undefined, id).tickets()).toEqual([]);
  }
  expect(await browser(acme, await sign(acme, name)).tickets()).toEqual(['Private']);
});

test('tickets of another agent and of another organization stay there', async () => {
  const name = unique();
  await create(other, { subject: 'Elsewhere', requesterEmail: `${name}@example.com` });
  const { createAgent: second } = await acme.admin.graphql(
    'mutation ($input: NewAgent!) { createAgent(input: $input) { id publicSlug } }',
    { input: { name: 'Second', allowedOrigins: [ORIGIN] } },
  );
  await create({ ...acme, agent: second }, { subject: 'Of the second agent', requesterEmail: `${name}@example.com` });
  await create(acme, { subject: 'Here', requesterEmail: `${name}@example.com` });
  const visitor = browser(acme, await sign(acme, name));
  expect(await visitor.tickets()).toEqual(['Here']);
  const elsewhere = (await other.admin.get('/api/v1/tickets')).body.tickets[0].ticketNumber;
  const { ticketNumber } = await visitor.whole('Here');
  for (const number of [elsewhere, 'TKT-9999', '%', `${ticketNumber} `])
    if (number !== ticketNumber) expect([404, 400]).toContain((await visitor.reply(encodeURIComponent(number), 'Mine?')).status);
});

test('the messages of a merged ticket of somebody else stay private', async () => {
  const [name, friend] = [unique(), unique()];
  const kept = await create(acme, { subject: 'Kept', requesterEmail: `${name}@example.com` });
  const duplicate = await create(acme, { subject: 'Duplicate', requesterEmail: `${friend}@example.com` });
  const own = await create(acme, { subject: 'Own duplicate', requesterEmail: `${name}@example.com` });
  const write = (id: string, text: string) =>
    acme.admin.graphql('mutation ($id: ID!, $text: String!) { addRequesterReply(id: $id, text: $text) { id } }', { id, text });
  await write(duplicate.id, 'Secret of the friend');
  await write(own.id, 'Own words');
  for (const each of [duplicate, own])
    await acme.admin.graphql('mutation ($id: ID!, $duplicateId: ID!) { mergeTicket(id: $id, duplicateId: $duplicateId) { id } }', {
      id: kept.id,
      duplicateId: each.id,
    });
  // Also what comes later.
  await write(duplicate.id, 'Later secret');
  const visitor = browser(acme, await sign(acme, name));
  const texts = (ticket: { messages: { text: string }[] }) => ticket.messages.map(({ text }) => text);
  expect(texts(await visitor.whole('Kept'))).toEqual(['Own words']);
  const { body } = await visitor.reply(kept.ticketNumber, 'More');
  expect(texts(body)).toEqual(['Own words', 'More']);
});

test('an answer by mail of the owner of an address is not shown to a visitor who typed the address', async () => {
  const name = unique();
  const [stranger, owner] = [browser(acme), browser(acme, await sign(acme, name))];
  for (const [each, subject] of [
    [stranger, `${name} forged`],
    [owner, `${name} own`],
  ] as const) {
    raise(subject, `${name}@example.com`);
    await each.say(subject);
    const { rows } = await database().query('select id from agent.tickets where subject = $1', [subject]);
    const add = (kind: string, text: string, mailId: string | null) =>
      database().query(
        `insert into agent.ticket_messages (id, organization_id, ticket_id, kind, author_name, text, mail_id)
         values (gen_random_uuid(), $1, $2, $3, 'Ada', $4, $5)`,
        [acme.id, rows[0].id, kind, text, mailId],
      );
    await add('reply', 'Which lamp?', null);
    await add('requester', 'My PIN is 1234', `<${randomUUID()}@customer.example>`);
  }
  const textsOf = (ticket: { messages: { text: string }[] }) => ticket.messages.map(({ text }) => text);
  expect(textsOf(await stranger.whole(`${name} forged`))).toEqual(['Which lamp?']);
  expect(textsOf(await owner.whole(`${name} own`))).toEqual(['Which lamp?', 'My PIN is 1234']);
  const { ticketNumber } = await stranger.whole(`${name} forged`);
  expect(textsOf((await stranger.reply(ticketNumber, 'Hello?')).body)).toEqual(['Which lamp?', 'Hello?']);
});

test('a visitor with 10,000 tickets reads the newest 20 quickly, and no plan reads those of others', async () => {
  const name = unique();
  const visitor = browser(acme, await sign(acme, name));
  await create(acme, { subject: 'The first', requesterEmail: `${name}@example.com` });
  const few = await quickest(visitor.tickets);
  await database().query(
    `insert into agent.tickets (id, organization_id, agent_id, agent_name, ticket_number, subject, description, status, priority, source, requester_email, created_at)
     select gen_random_uuid(), $1, $2, 'Zoe', 'N-' || n, 'Many ' || n, '', 'new', 'normal', 'api', case when n % 2 = 0 then $3 else n || '@example.com' end,
            now() + n * interval '1 ms' from generate_series(1, 20000) n`,
    [acme.id, acme.agent.id, `${name}@example.com`],
  );
  await database().query('analyze agent.tickets');
  const tickets = await visitor.tickets();
  expect(tickets).toHaveLength(20);
  expect(tickets).toContain('Many 20000');
  // With all tickets it would take hundreds of times as long.
  expect(await quickest(visitor.tickets)).toBeLessThan(25 * few);
});
