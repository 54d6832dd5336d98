import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { pino } from 'pino';
import { invitations } from '../../platform/identity/index.ts';
import { startMailer, sweepMails } from '../../platform/mail/index.ts';
import { detached } from '../../platform/scope/index.ts';
import { createServer } from '../../server/server.ts';
import { inboundMailRoutes } from '../../start/gateway/inbound-mail.ts';
import { ExpiryPlace, removeExpired } from '../../subgraphs/agent/conversations/conversation-expiry.ts';
import { database } from '../support/seed.ts';
import { type Delivered, headerOf, openSmtp } from '../support/smtp.ts';
import { readUntil, until } from '../support/until.ts';
import { ERASE, erased } from './erasing.ts';
import { CREATE, openAgents } from './operations.ts';

const SECRET = 'the-secret-of-the-mail-provider';
let before = async (_: Delivered): Promise<void> => {};
const smtp = await openSmtp((mail) => before(mail));
const mail = { smtpUrl: smtp.url, from: 'support@shop.example', replyAddress: 'reply@in.shop.example' };
const graph = await openAgents({ mail, publicUrl: 'https://shop.example' });
let mailer = startMailer(graph.services, mail);
const app = createServer({ logger: pino({ level: 'silent' }) });
app.register((inner) => inboundMailRoutes(inner, { agent: graph.source, secret: SECRET }));
const base = await app.listen({ port: 0, host: '127.0.0.1' });
afterAll(async () => {
  await app.close();
  await mailer.close();
  await graph.close();
  await smtp.close();
});
beforeEach(() => {
  before = async () => {};
});

const sql = (text: string, values: unknown[] = []) => database(graph.url).query(text, values);

const TICKET = `query ($id: ID!) { ticket(id: $id) { status messages(page: 1, limit: 50) {
  nodes { id kind authorName text mail { recipient status lastError sentAt } } } } }`;

/** An organization with a ticket of Ada. */
async function open(requesterEmail: string | null = 'ada@customer.example') {
  const organization = await graph.seed({ modules: ['helpdesk'] });
  const owner = graph.caller(organization.key);
  const { createAgent: agent } = await owner.ask(CREATE, { input: { name: 'Zoe' } });
  const input = { agentId: agent.id, subject: 'Broken <lamp>', requesterEmail, requesterName: 'Ada' };
  const { createTicket } = await owner.ask('mutation ($input: NewTicket!) { createTicket(input: $input) { id ticketNumber } }', {
    input,
  });
  return { owner, organization, agent, ...ticketOf(owner, createTicket.id) };
}

/** The actions of a test on a ticket of Ada. */
function ticketOf(owner: ReturnType<typeof graph.caller>, id: string) {
  const reply = (text: string) =>
    owner.ask('mutation ($id: ID!, $text: String!) { replyToTicket(id: $id, text: $text) { status } }', { id, text });
  const read = async () => {
    const { ticket } = await owner.ask(TICKET, { id });
    return { status: ticket.status as string, messages: ticket.messages.nodes };
  };
  /** Replies, and returns the mail and the address for answers. */
  const mailed = async (text = 'Which lamp?') => {
    const count = smtp.mails.length;
    await reply(text);
    // Other mails, such as invitations, may arrive meanwhile.
    const sent = (await readUntil(() => smtp.mails.slice(count).find((mail) => headerOf(mail, 'Reply-To')), Boolean))!;
    await until(async () => (await read()).messages.every((each: { mail: { status: string } }) => each.mail?.status !== 'pending'));
    return { sent, address: /<([^>]+)>/.exec(headerOf(sent, 'Reply-To'))![1]! };
  };
  return { id, reply, read, mailed };
}

interface Mail {
  to: string;
  from?: string;
  id?: string;
  text?: string;
  html?: string;
  stripped?: string;
  headers?: Record<string, string>;
  attachments?: unknown[];
  /** Bytes of each attachment of a form of Mailgun. */
  files?: number[];
}

const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`postmark:${secret}`).toString('base64')}` });

const postmark = async (
  {
    to,
    from = 'ada@customer.example',
    id = `<${randomUUID()}@customer.example>`,
    text = '',
    html = '',
    stripped = '',
    ...more
  }: Mail,
  headers: Record<string, string> = basic(SECRET),
) =>
  app.inject({
    method: 'POST',
    url: '/mail/postmark',
    headers,
    payload: {
      FromName: 'Ada',
      From: from,
      FromFull: { Email: from, Name: 'Ada', MailboxHash: '' },
      ToFull: [{ Email: to, Name: '', MailboxHash: '' }],
      OriginalRecipient: to,
      Subject: 'Re: Broken lamp',
      MessageID: randomUUID(),
      TextBody: text,
      HtmlBody: html,
      StrippedTextReply: stripped,
      Headers: Object.entries({ 'Message-ID': id, ...more.headers }).map(([Name, Value]) => ({ Name, Value })),
      Attachments: more.attachments ?? [],
    },
  });

function mailgun(
  { to, from = 'Ada <ada@customer.example>', id = `<${randomUUID()}@customer.example>`, text = '', stripped, files }: Mail,
  { key = SECRET, at = Date.now() / 1_000, token = randomUUID() as string } = {},
) {
  const timestamp = String(Math.round(at));
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  const fields = {
    timestamp,
    token,
    signature,
    from,
    sender: 'bounce@customer.example',
    recipient: to,
    'Message-Id': id,
    'message-headers': JSON.stringify([['Message-Id', id]]),
    'body-plain': text,
    ...(stripped && { 'stripped-text': stripped }),
    ...(files && { 'attachment-count': String(files.length) }),
  };
  // Over a connection, which a response to an unread body could reset.
  if (files) return sendForm(formWith(fields, files));
  return app.inject({
    method: 'POST',
    url: '/mail/mailgun',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
}

async function sendForm(body: FormData) {
  const response = await fetch(new URL('/mail/mailgun', base), { method: 'POST', body });
  const result = await response.json();
  return { statusCode: response.status, json: () => result };
}

function formWith(fields: Record<string, string>, files: number[]) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [at, bytes] of files.entries())
    form.append(`attachment-${at + 1}`, new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'photo.jpg');
  return form;
}

test('a reply of the team reaches the requester once, as escaped text, and the ticket shows that it was sent', async () => {
  const { mailed, read, id } = await open();
  const { sent, address } = await mailed('Is it <b>red</b> & "bright"?');
  expect(sent.to).toEqual(['ada@customer.example']);
  expect(headerOf(sent, 'Subject')).toBe('[TKT-1001] Broken <lamp>');
  expect(headerOf(sent, 'References')).toContain(id);
  expect(headerOf(sent, 'Message-ID')).toMatch(/^<[0-9a-f-]{36}@shop\.example>$/);
  expect(sent.raw).toContain('Is it <b>red</b> & "bright"?');
  expect(sent.raw.replace(/=\r\n/g, '')).toContain('Is it &lt;b&gt;red&lt;/b&gt; &amp; &quot;bright&quot;?');
  expect(address.split('@')[0]!.length).toBeLessThanOrEqual(64);
  expect((await read()).messages).toEqual([
    expect.objectContaining({
      mail: { recipient: 'ada@customer.example', status: 'sent', lastError: null, sentAt: expect.any(String) },
    }),
  ]);
  const { rows } = await sql(
    'select number, error, response from mail.attempts where message_id in (select id from mail.messages where record_id = $1)',
    [id],
  );
  expect(rows).toEqual([{ number: 1, error: null, response: expect.stringContaining('250') }]);
  // Nobody to mail to.
  const anonymous = await open(null);
  await anonymous.reply('Hello');
  expect((await anonymous.read()).messages).toEqual([expect.objectContaining({ mail: null })]);
});

test('answers come back from both providers, without quotes and once per Message-ID', async () => {
  const { mailed, read } = await open();
  const { address } = await mailed();
  const quoted = 'The red one.\n\nOn Thu, 26 Nov 2026 at 10:00, Acme <support@shop.example> wrote:\n> Which lamp?\n';
  expect((await postmark({ to: address, id: '<a@c>', text: quoted })).json()).toEqual({ outcome: 'stored', reason: null });
  await postmark({ to: address, id: '<a@c>', text: quoted });
  expect(await read()).toMatchObject({
    status: 'on_you',
    messages: [{ kind: 'reply' }, { kind: 'requester', authorName: 'Ada', text: 'The red one.' }],
  });
  expect((await mailgun({ to: address.toUpperCase(), id: '<b@c>', text: 'x', stripped: 'And the blue one.' })).statusCode).toBe(
    200,
  );
  await postmark({ to: address, html: '<p>Third</p><blockquote>Which lamp?</blockquote><script>alert(1)</script>' });
  const { messages } = await read();
  expect(messages.slice(2).map(({ text }: { text: string }) => text)).toEqual(['And the blue one.', 'Third']);
});

test('a mail from another address is shown as such and changes no status, and the requester does not see it', async () => {
  const { mailed, read } = await open();
  const { address } = await mailed();
  await postmark({ to: address, from: 'eve@evil.example', text: 'Please refund to my account.' });
  const { status, messages } = await read();
  expect(status).toBe('on_customer');
  expect(messages.at(-1)).toMatchObject({
    kind: 'other',
    authorName: 'Ada <eve@evil.example>',
    text: 'Please refund to my account.',
  });
});

test('automatic mails, own mails and forged addresses are ignored, and other senders are refused', async () => {
  const { mailed, read, id } = await open();
  const foreign = await open();
  const { address, sent } = await mailed();
  const { address: foreignAddress } = await foreign.mailed();
  const before = JSON.stringify([await read(), await foreign.read()]);
  const [tag, domain] = [address.split('+')[1]!.split('@')[0]!, address.split('@')[1]!];
  const foreignTag = foreignAddress.split('+')[1]!.split('@')[0]!;
  const ignored: Mail[] = [
    { to: address, headers: { 'Auto-Submitted': 'auto-replied' } },
    { to: address, headers: { Precedence: 'bulk' } },
    { to: address, headers: { 'List-Id': '<list.example>' } },
    { to: address, headers: { 'Return-Path': '<>' } },
    { to: address, from: 'support@shop.example' },
    { to: address, from: foreignAddress },
    { to: address, id: headerOf(sent, 'Message-ID') },
    { to: `reply@${domain}` },
    { to: `reply+${tag.slice(0, 32)}${foreignTag.slice(32)}@${domain}` },
    { to: `reply+${id.replaceAll('-', '')}@${domain}` },
    { to: address.replace(domain, 'elsewhere.example') },
    { to: `reply+${'0'.repeat(52)}@${domain}` },
  ];
  for (const each of ignored)
    expect([each, (await postmark({ text: 'Hi', ...each })).json()]).toEqual([
      each,
      expect.objectContaining({ outcome: 'ignored' }),
    ]);
  expect((await postmark({ to: address, text: 'Hi' }, basic('guess'))).statusCode).toBe(401);
  expect((await postmark({ to: address, text: 'Hi' }, {})).statusCode).toBe(401);
  expect((await mailgun({ to: address, text: 'Hi' }, { key: 'guess' })).statusCode).toBe(401);
  // A signature does not cover the mail, so an old one may belong to another mail.
  const now = Date.now() / 1_000;
  for (const at of [now - 10 * 3_600, now + 600, Number.NaN])
    expect((await mailgun({ to: address, text: 'Hi' }, { at })).statusCode).toBe(401);
  expect(JSON.stringify([await read(), await foreign.read()])).toBe(before);
});

test('a signature of Mailgun is accepted for one mail, which Mailgun may send again', async () => {
  const { mailed, read } = await open();
  const { address } = await mailed();
  const foreign = await open();
  const other = (await foreign.mailed()).address;
  const [at, token] = [Date.now() / 1_000, randomUUID()];
  const mail = { to: address, id: '<once@c>', text: 'Mine.' };
  const answers = await Promise.all(Array.from({ length: 4 }, () => mailgun(mail, { at, token })));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  for (const more of [{ to: other }, { text: 'Forged.' }, { from: 'Eve <eve@x.example>' }, { id: '<other@c>' }])
    expect((await mailgun({ ...mail, ...more }, { at, token })).statusCode).toBe(401);
  expect((await mailgun(mail, { at, token })).statusCode).toBe(200);
  // A signature that came with an ignored mail is used, too.
  const unknown = randomUUID();
  expect((await mailgun({ to: 'nobody@in.example', text: 'x' }, { at, token: unknown })).statusCode).toBe(200);
  expect((await mailgun(mail, { at, token: unknown })).statusCode).toBe(401);
  expect(
    (await read()).messages.map(({ text }: { text: string }) => text).filter((text: string) => /Mine|Forged/.test(text)),
  ).toEqual(['Mine.']);
  expect((await foreign.read()).messages).toHaveLength(1);
  await sql(`update mail.used_signatures set used_at = now() - interval '25 hours'`);
  await sweepMails(graph.services.pool);
  expect((await sql('select 1 from mail.used_signatures')).rows).toEqual([]);
});

test('hostile mails neither fail nor stop the service', async () => {
  const { mailed, read } = await open();
  const { address } = await mailed();
  const heavy = { Name: 'photo.jpg', Content: 'A'.repeat(25 * 1024 * 1024), ContentType: 'image/jpeg' };
  expect((await postmark({ to: address, text: 'With a photo', attachments: [heavy] })).statusCode).toBe(200);
  const bomb = `${'<div>'.repeat(100_000)}Deep`;
  expect((await postmark({ to: address, html: bomb })).statusCode).toBe(200);
  expect((await postmark({ to: address, text: `${'> '.repeat(50_000)}\n${'On wrote:\n'.repeat(5_000)}` })).statusCode).toBeLessThan(
    504,
  );
  expect((await postmark({ to: address, text: 'nul \0 and \ud800', from: 'a\r\nBcc: x@y.example' })).statusCode).toBe(200);
  for (const payload of ['', 'x', '[]', 'null', '{"FromFull": 7, "Headers": {"a": 1}, "ToFull": "x"}'])
    expect(
      (
        await app.inject({
          method: 'POST',
          url: '/mail/postmark',
          headers: { ...basic(SECRET), 'content-type': 'application/json' },
          payload,
        })
      ).statusCode,
    ).toBeLessThan(500);
  expect((await read()).messages.map(({ text }: { text: string }) => text)).toContain('With a photo');
});

test('attachments of Mailgun are dropped, up to the size of a mail', async () => {
  const { mailed, read } = await open();
  const { address } = await mailed();
  const [kilobyte, megabyte] = [1_000, 1_000_000];
  const sizes = [[2 * megabyte], [25 * megabyte, 10 * megabyte], Array.from({ length: 150 }, () => kilobyte)];
  for (const files of sizes) expect((await mailgun({ to: address, text: `${files.length} photos`, files })).statusCode).toBe(200);
  expect((await mailgun({ to: address, text: 'Too large', files: [30 * megabyte, 30 * megabyte] })).statusCode).toBe(413);
  expect((await read()).messages.slice(1).map(({ text }: { text: string }) => text)).toEqual([
    '1 photos',
    '2 photos',
    '150 photos',
  ]);
});

test('the whole body of a refused mail is read, so that its provider reads the response', async () => {
  const form = new Response(formWith({ timestamp: '1', token: 'a', signature: 'b' }, [60_000_000]));
  const body = Buffer.from(await form.arrayBuffer());
  const headers = { 'content-type': form.headers.get('content-type')!, 'content-length': body.length };
  const sent = request(new URL('/mail/mailgun', base), { method: 'POST', headers });
  const [[response]] = await Promise.all([once(sent, 'response'), new Promise<void>((resolve) => sent.end(body, resolve))]);
  expect(response.statusCode).toBe(413);
  response.resume();
});

test('a mail with attachments alone is shown as such, and one without anything is ignored', async () => {
  const { mailed, read } = await open();
  const { address } = await mailed();
  await mailgun({ to: address, files: [1_000] });
  await postmark({ to: address, html: '<img src="cid:photo">', attachments: [{ Name: 'photo.jpg', Content: 'AAAA' }] });
  const notice = '(The mail has no text. Attachments are not stored.)';
  expect((await read()).messages.slice(1)).toMatchObject([
    { kind: 'requester', text: notice },
    { kind: 'requester', text: notice },
  ]);
  const empty = [await mailgun({ to: address }), await mailgun({ to: address, files: [] }), await postmark({ to: address })];
  expect(empty.map((each) => each.json())).toEqual(empty.map(() => ({ outcome: 'ignored', reason: 'The mail has no text.' })));
});

test('a malformed form of Mailgun is a fault of its sender', async () => {
  const part = '--b\r\nContent-Disposition: form-data; name="token"\r\n\r\nx\r\n';
  const file = '--b\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\nx';
  const forms = {
    'no boundary': ['', `${part}--b--\r\n`],
    'no end': ['; boundary=b', part],
    'half of a part': ['; boundary=b', `${part}--b\r\nContent-Disp`],
    'half of a file': ['; boundary=b', `${part}${file}`],
    'an odd boundary': [`; boundary=${'('.repeat(60)}`, 'x'],
    'a long boundary': [`; boundary=${'b'.repeat(5_000)}`, 'x'],
  };
  for (const [kind, [parameter, payload]] of Object.entries(forms)) {
    const headers = { 'content-type': `multipart/form-data${parameter}` };
    const { statusCode } = await app.inject({ method: 'POST', url: '/mail/mailgun', headers, payload });
    expect([kind, statusCode]).toEqual([kind, 400]);
  }
});

test('a mail to several tickets is stored in each of them, once', async () => {
  const [first, foreign] = [await open(), await open()];
  const input = { agentId: first.agent.id, subject: 'Also broken', requesterEmail: 'ada@customer.example' };
  const { createTicket } = await first.owner.ask('mutation ($input: NewTicket!) { createTicket(input: $input) { id } }', { input });
  const second = createTicket.id;
  const count = smtp.mails.length;
  await first.owner.ask('mutation ($id: ID!) { replyToTicket(id: $id, text: "And this?") { status } }', { id: second });
  const sent = (await readUntil(
    () => smtp.mails.slice(count).find((each) => headerOf(each, 'References')?.includes(second)),
    Boolean,
  ))!;
  const addresses = [
    (await first.mailed()).address,
    /<([^>]+)>/.exec(headerOf(sent, 'Reply-To'))![1]!,
    (await foreign.mailed()).address,
  ];
  const answer = { id: '<all@c>', text: 'All are broken.' };
  expect((await mailgun({ to: addresses.join(','), ...answer })).json()).toEqual({ outcome: 'stored', reason: null });
  await mailgun({ to: addresses.toReversed().join(','), ...answer });
  // A provider may also send it once for each recipient.
  for (const to of addresses) await postmark({ to, ...answer });
  const inSecond = (await first.owner.ask(TICKET, { id: second })).ticket;
  for (const { status, messages } of [await first.read(), await foreign.read(), { ...inSecond, messages: inSecond.messages.nodes }])
    expect([status, messages.slice(1).map(({ text }: { text: string }) => text)]).toEqual(['on_you', ['All are broken.']]);
});

test('a mail to two tickets that were merged is stored once in the ticket that is left, whichever address it comes to', async () => {
  const first = await open();
  const { owner, agent } = first;
  const input = { agentId: agent.id, subject: 'Also broken', requesterEmail: 'ada@customer.example', requesterName: 'Ada' };
  const { createTicket } = await owner.ask('mutation ($input: NewTicket!) { createTicket(input: $input) { id } }', { input });
  const duplicate = ticketOf(owner, createTicket.id);
  const addresses = [(await first.mailed()).address, (await duplicate.mailed()).address];
  const before = { id: '<before@c>', text: 'Before the merge.' };
  await mailgun({ to: addresses[1]!, ...before });
  const ids = { id: first.id, duplicateId: duplicate.id };
  await owner.ask('mutation ($id: ID!, $duplicateId: ID!) { mergeTicket(id: $id, duplicateId: $duplicateId) { id } }', ids);
  const after = { id: '<after@c>', text: 'After the merge.' };
  await mailgun({ to: addresses.join(','), ...after });
  for (const to of addresses) for (const each of [before, after]) await postmark({ to, ...each });
  const texts = (await first.read()).messages.map(({ text }: { text: string }) => text);
  expect(texts.filter((text: string) => /the merge/.test(text)).sort()).toEqual(['After the merge.', 'Before the merge.']);
});

test('a mail whose quotes take too long to find is stored whole', async () => {
  const { mailed, read } = await open();
  const { address } = await mailed();
  const text = `It is broken.\nOn ${' '.repeat(150_000)}${'\n'.repeat(40_000)}wrote`;
  expect((await postmark({ to: address, text })).json()).toMatchObject({ outcome: 'stored' });
  expect((await read()).messages.at(-1).text).toMatch(/^It is broken\./);
});

test('mails that are deleted make no room beyond the limits of a day', async () => {
  const { organization } = await open();
  const { rows } = await sql(`select user_id as id from identity.memberships where organization_id = $1`, [organization.id]);
  const scope = () => detached({ services: graph.services, organizationId: organization.id });
  const user: string = rows[0].id;
  const invite = (email: string) => invitations.inviteMember(scope(), user, { email, role: 'member' });
  const sentTo = (email: string) => smtp.mails.filter(({ to }) => to[0] === email).length;
  const settled = () =>
    until(
      async () =>
        (await sql(`select 1 from mail.messages where organization_id = $1 and status = 'pending'`, [organization.id])).rows
          .length === 0,
    );
  // The same address again and again, also with a new invitation.
  for (let round = 0; round < 13; round++) {
    const { invitation, mailed } = await invite('Victim@team.example');
    expect(mailed).toBe(round < 10);
    await settled();
    if (round % 2 === 0) await invitations.revokeInvitation(scope(), user, invitation.id);
  }
  expect(sentTo('victim@team.example')).toBe(10);
  // Other addresses, up to the limit of the organization.
  await sql(`update mail.counts set mails = mails + 985 where organization_id = $1`, [organization.id]);
  const mailed: boolean[] = [];
  for (let at = 0; at < 8; at++) {
    const made = await invite(`person${at}@team.example`);
    mailed.push(made.mailed);
    await settled();
    await invitations.revokeInvitation(scope(), user, made.invitation.id);
  }
  expect(mailed).toEqual([true, true, true, true, true, false, false, false]);
  await sql(`update mail.counts set hour = hour - interval '25 hours' where organization_id = $1`, [organization.id]);
  expect((await invite('victim@team.example')).mailed).toBe(true);
  await settled();
});

test('a mail whose process is lost is sent again with the same Message-ID, and a rejected recipient is not tried again', async () => {
  const { reply, read, id } = await open();
  const count = smtp.mails.length;
  const second = Promise.withResolvers<void>();
  before = async () => {
    if (smtp.mails.length - count > 1) return second.resolve();
    // The lease expires while the first process waits for the server.
    await sql(`update mail.messages set leased_until = now() - interval '1 second' where record_id = $1`, [id]);
    const other = startMailer(graph.services, mail);
    await second.promise;
    await until(
      async () => (await sql(`select 1 from mail.messages where record_id = $1 and status = 'sent'`, [id])).rows.length === 1,
    );
    await other.close();
  };
  await reply('Hello');
  await until(async () => (await read()).messages[0].mail?.status === 'sent');
  const twice = smtp.mails.slice(count).map((each) => headerOf(each, 'Message-ID'));
  expect([twice.length, new Set(twice).size]).toEqual([2, 1]);
  expect(
    (await sql('select a.number from mail.attempts a join mail.messages m on m.id = a.message_id where m.record_id = $1', [id]))
      .rows,
  ).toEqual([{ number: 1 }]);

  before = () => Promise.reject(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
  const rejected = await open('nobody@customer.example');
  await rejected.reply('Hello');
  await until(async () => (await rejected.read()).messages[0].mail?.status === 'failed');
  expect((await rejected.read()).messages[0].mail.lastError).toContain('no such mailbox');
});

test('a mailer that closes releases the mails in progress, and another one sends them at once', async () => {
  const { reply, id } = await open();
  const stuck = Promise.withResolvers<void>();
  const count = smtp.mails.length;
  before = () => (smtp.mails.length - count === 1 ? stuck.promise : Promise.resolve());
  await mailer.close();
  const closing = startMailer(graph.services, mail);
  await reply('Hello');
  await until(() => smtp.mails.length > count);
  await closing.close();
  const leases = `select leased_by, losses from mail.messages where record_id = $1`;
  expect((await sql(leases, [id])).rows).toEqual([{ leased_by: null, losses: 0 }]);
  mailer = startMailer(graph.services, mail);
  await until(
    async () => (await sql(`select 1 from mail.messages where record_id = $1 and status = 'sent'`, [id])).rows.length === 1,
  );
  stuck.resolve();
}, 30_000);

test('a transcript goes with its conversation: by an erasure, a deletion, or the end of its retention', async () => {
  const { owner, organization, agent } = await open();
  const addConversation = async () => {
    const id = randomUUID();
    await sql(
      `insert into agent.conversations (id, organization_id, agent_id, contact_id, visitor_id, channel, status, created_at)
       select $1, $2, $3, id, 'v', 'widget', 'open', now() - interval '3 days' from agent.contacts where organization_id = $2`,
      [id, organization.id, agent.id],
    );
    await owner.ask('mutation ($id: ID!) { mailTranscript(conversationId: $id) { status } }', { id });
    return id;
  };
  const isMailed = async (id: string) => (await sql('select 1 from mail.messages where record_id = $1', [id])).rows.length > 0;
  const [deleted, expired, erasedOne] = [await addConversation(), await addConversation(), await addConversation()];
  await owner.ask('mutation ($id: ID!) { deleteConversation(id: $id) { deleted } }', { id: deleted });
  expect([await isMailed(deleted), await isMailed(expired)]).toEqual([false, true]);
  await sql('update agent.conversations set created_at = now() where id = $1', [erasedOne]);
  await sql('update agent.agents set retention_days = 1 where id = $1', [agent.id]);
  await removeExpired(graph.services.pool, new ExpiryPlace());
  expect([await isMailed(expired), await isMailed(erasedOne)]).toEqual([false, true]);
  const { contacts } = await owner.ask('{ contacts(page: 1, limit: 1) { nodes { id } } }');
  await owner.ask(ERASE, { id: contacts.nodes[0].id });
  await erased(owner.ask, contacts.nodes[0].id);
  expect(await isMailed(erasedOne)).toBe(false);
});

test('the words around a German reply and a German conversation are German', async () => {
  const { mailed, owner, organization, agent } = await open();
  const bodyOf = ({ raw }: Delivered) =>
    Buffer.from(
      raw.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ).toString();
  expect(bodyOf((await mailed('Which lamp is it?')).sent)).toContain('TKT-1001 · You can reply to this mail.');
  expect(bodyOf((await mailed('Welche Lampe ist es, und wo haben Sie sie gekauft?')).sent)).toContain(
    'TKT-1001 · Sie können auf diese Mail antworten.',
  );
  const conversation = randomUUID();
  await sql(
    `insert into agent.conversations (id, organization_id, agent_id, contact_id, visitor_id, channel, status, message_count)
     select $1, $2, $3, id, 'v', 'widget', 'open', 1 from agent.contacts where organization_id = $2`,
    [conversation, organization.id, agent.id],
  );
  await sql(
    `insert into agent.messages (id, organization_id, conversation_id, position, role, text, status)
     values (gen_random_uuid(), $1, $2, 1, 'user', 'Wo ist die Lampe, die ich bestellt habe?', 'complete')`,
    [organization.id, conversation],
  );
  const count = smtp.mails.length;
  await owner.ask('mutation ($id: ID!) { mailTranscript(conversationId: $id) { status } }', { id: conversation });
  await until(() => smtp.mails.length > count);
  expect(bodyOf(smtp.mails.at(-1)!)).toMatch(/Sie \(.* UTC\):\r\nWo ist die Lampe/);
});

test('transcripts and invitations are mailed, and the link of an invitation is not stored', async () => {
  const { owner, organization, agent } = await open();
  const conversation = randomUUID();
  await sql(
    `insert into agent.conversations (id, organization_id, agent_id, contact_id, visitor_id, channel, status, message_count)
     select $1, $2, $3, id, 'v', 'widget', 'open', 2 from agent.contacts where organization_id = $2`,
    [conversation, organization.id, agent.id],
  );
  await sql(
    `insert into agent.messages (id, organization_id, conversation_id, position, role, text, status)
     select gen_random_uuid(), $1, $2, n, case n when 1 then 'user' else 'assistant' end, 'Message ' || n, 'complete' from generate_series(1, 2) n`,
    [organization.id, conversation],
  );
  const SEND = 'mutation ($id: ID!) { mailTranscript(conversationId: $id) { recipient status } }';
  const count = smtp.mails.length;
  expect((await owner.ask(SEND, { id: conversation })).mailTranscript).toEqual({
    recipient: 'ada@customer.example',
    status: 'pending',
  });
  await until(() => smtp.mails.length > count);
  expect(smtp.mails.at(-1)!.raw).toMatch(/You \(.* UTC\):\r\nMessage 1[\s\S]*Zoe \(.* UTC\):\r\nMessage 2/);
  const stranger = await open();
  expect(await stranger.owner.refusal(SEND, { id: conversation })).toBe('NOT_FOUND: Conversation not found');

  const { rows } = await sql(`select user_id as id from identity.memberships where organization_id = $1`, [organization.id]);
  const scope = detached({ services: graph.services, organizationId: organization.id });
  const { token } = await invitations.inviteMember(scope, rows[0].id, { email: 'new@team.example', role: 'member' });
  await until(() => smtp.mails.some(({ to }) => to[0] === 'new@team.example'));
  const invitation = smtp.mails.find(({ to }) => to[0] === 'new@team.example')!;
  expect(invitation.raw.replace(/=\r\n/g, '')).toContain(`https://shop.example/invitation/${token}`);
  await until(
    async () =>
      (await sql(`select 1 from mail.messages where recipient = 'new@team.example' and status = 'sent' and link is null`)).rows
        .length === 1,
  );
  expect(JSON.stringify((await sql('select * from mail.messages')).rows)).not.toContain(token);
});

test('an invitation beyond the daily limit of mails says that it is not mailed', async () => {
  const { organization } = await open();
  const { rows } = await sql(`select user_id as id from identity.memberships where organization_id = $1`, [organization.id]);
  const invite = async (email: string) => {
    const scope = detached({ services: graph.services, organizationId: organization.id });
    return (await invitations.inviteMember(scope, rows[0].id, { email, role: 'member' })).mailed;
  };
  expect(await invite('first@team.example')).toBe(true);
  await sql('update mail.counts set mails = 1000 where organization_id = $1', [organization.id]);
  expect(await invite('second@team.example')).toBe(false);
});

test('a user sends up to 2,000 mails a day in all organizations together', async () => {
  const [first, second] = [await open(), await open()];
  const { rows } = await sql(`select user_id as id from identity.memberships where organization_id = $1`, [first.organization.id]);
  const user = rows[0].id;
  await sql(`insert into identity.memberships (organization_id, user_id, role) values ($1, $2, 'owner')`, [
    second.organization.id,
    user,
  ]);
  const invite = async ({ organization }: typeof first, email: string) => {
    const scope = detached({ services: graph.services, organizationId: organization.id });
    return (await invitations.inviteMember(scope, user, { email, role: 'member' })).mailed;
  };
  await sql('delete from mail.user_counts where user_id = $1', [user]);
  expect(await invite(first, 'first@team.example')).toBe(true);
  await sql('update mail.user_counts set mails = 1999 where user_id = $1', [user]);
  expect(await invite(second, 'first@team.example')).toBe(true);
  expect([await invite(first, 'second@team.example'), await invite(second, 'third@team.example')]).toEqual([false, false]);
  // Another member of the organization still sends.
  await second.mailed();
  await sql(`update mail.user_counts set hour = hour - interval '25 hours' where user_id = $1`, [user]);
  expect(await invite(first, 'fourth@team.example')).toBe(true);
});

test('without an SMTP server nothing is mailed, and the dashboard knows', async () => {
  const { owner } = await open();
  expect((await owner.ask('{ mailChannel { sends receives } }')).mailChannel).toEqual({ sends: true, receives: true });
  expect(await owner.refusal('mutation { mailTranscript(conversationId: "x") { status } }')).toMatch(/^NOT_FOUND/);
});
