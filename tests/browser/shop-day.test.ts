import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Page } from 'playwright-core';
import { freePort } from '../../start/servers/ports.ts';
import { startToolReceiver } from '../agent/tools/receiver.ts';
import { resultIn } from '../support/chat-provider.ts';
import { createDatabase } from '../support/database.ts';
import { environmentOf } from '../support/environment.ts';
import type { Running } from '../support/processes.ts';
import { database } from '../support/seed.ts';
import { signIn } from '../support/session.ts';
import { headerOf, openSmtp } from '../support/smtp.ts';
import { startWorker } from '../support/system.ts';
import { PATIENCE, until } from '../support/until.ts';
import { accessibilityFaults, PHONE } from './dashboard.ts';
import { browserTest, openWebsite, type Website } from './widget-page.ts';

// A day of a shop: two operators in the dashboard, three visitors on the website, one of them signed in, orders behind a tool, and mails
// through a real SMTP server. Each step goes on from the one before.

const SECRET = 'the-secret-of-the-mail-provider';
let deliver = async (): Promise<void> => {};
const smtp = await openSmtp(() => deliver());
const own = await createDatabase();
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const orders = await startToolReceiver();
// The website has a provider of its own.
const { OPENAI_BASE_URL: _, ...env } = environmentOf({
  databaseUrl: own.url,
  env: {
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'support@shop.example',
    MAIL_REPLY_ADDRESS: 'reply@in.shop.example',
    MAIL_INBOUND_SECRET: SECRET,
  },
});

let site: Website;
let worker: Running;
let shop: Awaited<ReturnType<Website['seed']>>;
let identityKey: Uint8Array;
let olivia: Page;
let oscar: Page;
const faults: string[] = [];
const work = async () => {
  worker = await startWorker({ ...env, DATABASE_URL: own.url, OPENAI_BASE_URL: site.provider.url });
};
afterAll(async () => {
  await worker?.stop();
  await site?.close();
  await Promise.all([orders.close(), smtp.close(), database(own.url).end()]);
  await own.drop();
});
afterEach(() => expect(faults).toEqual([]));

/** Open the dashboard as a user. */
async function operate(userId: string, path: string): Promise<Page> {
  const context = await site.browser.newContext({ baseURL: url, locale: 'en-US', reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE);
  const { token } = await signIn(userId, { url, databaseUrl: own.url });
  await context.addCookies([{ name: 'session', value: token, url }]);
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.goto(path);
  return page;
}

const tag = (more = '') => `data-agent="${shop.agent.publicSlug}" ${more}`;
/** The newest mail to an address, once there are `count`. */
async function mailTo(address: string, count = 1) {
  const mails = () => smtp.mails.filter(({ to }) => to.includes(address));
  await until(() => mails().length >= count);
  return mails().at(-1)!;
}
const textIn = ({ raw }: { raw: string }) => raw.replace(/=\r\n/g, '');

browserTest('a shop opens with an agent, and its owner invites a colleague by mail, who joins', async () => {
  site = await openWebsite(env);
  await work();
  shop = await site.seed({ suggestedMessages: ['When is the showroom open?'] }, { databaseUrl: own.url, modules: ['helpdesk'] });
  const { id } = shop.agent;
  await shop.admin.graphql('mutation ($id: ID!, $input: NewTool!) { createTool(agentId: $id, input: $input) { id } }', {
    id,
    input: {
      name: 'my_orders',
      description: 'Lists the orders of the visitor.',
      endpointUrl: `${orders.url}/orders`,
      method: 'GET',
    },
  });
  const { rotateSigningSecret } = await shop.admin.graphql(
    'mutation ($id: ID!) { rotateSigningSecret(agentId: $id, purpose: identity) { secret } }',
    { id },
  );
  identityKey = new TextEncoder().encode(rotateSigningSecret.secret);
  orders.replyWith(({ headers }, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ visitor: headers['x-svc-visitor'], orders: [{ number: 'B-2001', state: 'on its way' }] })),
  );

  const colleague = { id: randomUUID(), email: 'oscar@shop.example' };
  await database(own.url).query("insert into identity.users (id, email, name) values ($1, $2, 'Oscar')", [
    colleague.id,
    colleague.email,
  ]);
  olivia = await operate(shop.owner.id, `/o/${shop.slug}/settings/members`);
  await olivia.getByRole('tab', { name: 'Members' }).click();
  await olivia.getByRole('button', { name: 'Invite someone' }).click();
  await olivia.getByRole('textbox', { name: 'E-mail address' }).fill(colleague.email);
  await olivia.getByRole('button', { name: 'Create the link' }).click();
  const [link] = /http:\/\/127\.0\.0\.1:\d+\/invitation\/[\w-]+/.exec(textIn(await mailTo(colleague.email)))!;
  oscar = await operate(colleague.id, new URL(link).pathname);
  await oscar.getByRole('button', { name: 'Accept' }).click();
  await oscar.waitForURL(new RegExp(`/o/${shop.slug}`));
  await Promise.all([olivia, oscar].map((page) => page.goto(`/o/${shop.slug}/inbox`)));
  await oscar.getByText('No conversations yet').waitFor();
});

browserTest('a question without an answer is answered once, and the next visitor gets the answer', async () => {
  site.provider.on('showroom open', (response, { messages }) => {
    const [, number] = /<passage number="(\d+)"[^>]*>[^<]*from ten to six/.exec(messages[0]!.content!) ?? [];
    response.text(number ? `From ten to six [${number}].` : '[no-answer] I do not know.').finish();
  });
  const first = await site.open({ attributes: tag() });
  await first.launcher.click();
  await first.panel.getByRole('button', { name: 'When is the showroom open?' }).click();
  await first.messages.getByText('I do not know.').waitFor();

  await olivia.goto(`/o/${shop.slug}`);
  await olivia.getByText('Unanswered questions').first().waitFor();
  await olivia.goto(`/o/${shop.slug}/agents/${shop.agent.id}/questions`);
  await olivia.getByRole('button', { name: 'Answer' }).click();
  const dialog = olivia.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Answer' }).fill('The showroom is open from ten to six.');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await olivia.getByText('No open questions').waitFor();
  const SOURCES = 'query ($id: ID!) { sources(agentId: $id) { status } }';
  await until(async () => (await shop.admin.graphql(SOURCES, { id: shop.agent.id })).sources[0].status === 'ready');

  await first.ask('So when is the showroom open?');
  await first.messages.getByText('From ten to six').waitFor();
  const OPEN = '{ unansweredQuestions { pagination { total } } }';
  expect((await shop.admin.graphql(OPEN)).unansweredQuestions.pagination.total).toBe(0);
  expect(first.faults).toEqual([]);
  await first.context.close();
});

let conversationPath: string;
let grace: Awaited<ReturnType<Website['open']>>;
browserTest('a signed-in visitor reads her order, asks for a person, and two operators care for her', async () => {
  site.provider.on('Where is my order', (response, { messages }) => {
    const last = messages.at(-1)!;
    if (last.role !== 'tool') return response.call(0, 'c1', 'my_orders', '{}').finish('tool_calls');
    const { body } = { body: JSON.parse(resultIn(last)) };
    return response.text(`Order ${JSON.stringify(body).includes('B-2001') ? 'B-2001' : 'unknown'} is on its way.`).finish();
  });
  const token = await new SignJWT({ email: 'grace@customer.example', name: 'Grace Hopper' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('customer-7')
    .setExpirationTime('1h')
    .sign(identityKey);
  await olivia.goto(`/o/${shop.slug}/inbox`);
  grace = await site.open({ attributes: tag(`data-identity="${token}"`) });
  await grace.launcher.click();
  await grace.ask('Where is my order?');
  await grace.messages.getByText('Order B-2001 is on its way.').waitFor();
  expect(orders.last().headers['x-svc-visitor']).toBe('customer-7');
  await grace.panel.getByRole('button', { name: 'More options' }).click();
  await grace.panel.getByRole('button', { name: 'Talk to a person' }).click();
  await grace.messages.getByText(/The team has been asked/).waitFor();

  for (const page of [olivia, oscar]) await page.getByLabel('1 visitor waits').waitFor();
  await grace.page.reload();
  await grace.panel.getByText('Waiting for a person, number 1 in line').waitFor();

  await olivia.getByRole('link', { name: /Grace Hopper/ }).click();
  await olivia.getByText('Verified').first().waitFor();
  await olivia.getByRole('button', { name: 'Take over' }).click();
  await grace.messages.getByText(/joined the conversation/).waitFor();
  await oscar.getByLabel('1 visitor waits').waitFor({ state: 'detached' });
  await olivia.getByLabel('Write to the visitor').fill('Hello Grace, which lamp is it?');
  await olivia.keyboard.press('Enter');
  await grace.messages.getByText('Hello Grace, which lamp is it?').waitFor();
  await grace.ask('The red one.');
  await olivia.getByRole('log').getByText('The red one.').waitFor();

  await olivia.getByRole('combobox', { name: 'Tags' }).fill('lamp');
  await olivia.keyboard.press('Enter');
  await olivia.getByRole('button', { name: 'Notes' }).click();
  await olivia.getByRole('dialog').getByLabel('Add a note').fill('She is a good customer.');
  await olivia.keyboard.press('Enter');
  await olivia.getByRole('article').getByText('She is a good customer.').waitFor();
  await olivia.keyboard.press('Escape');
  await olivia.getByRole('combobox', { name: 'Assigned to' }).click();
  await olivia.getByRole('option', { name: 'Oscar' }).click();
  conversationPath = new URL(olivia.url()).pathname;

  await oscar.goto(`/o/${shop.slug}/inbox`);
  await oscar.getByRole('link', { name: /Grace Hopper/ }).click();
  await oscar.getByText('lamp', { exact: true }).first().waitFor();
  await oscar.getByRole('button', { name: 'Notes (1)' }).waitFor();
  expect(await accessibilityFaults(oscar)).toEqual([]);
  expect(await grace.messages.allInnerTexts()).not.toContain('She is a good customer.');
});

let ticketPath: string;
browserTest('a ticket is mailed once although the worker is killed meanwhile, and the answer comes back by mail', async () => {
  await oscar.getByRole('button', { name: 'Ticket from this conversation' }).click();
  const form = oscar.getByRole('dialog');
  await form.getByLabel('Subject').fill('The red lamp flickers');
  await form.getByRole('button', { name: 'Create' }).click();
  await oscar.waitForURL(/\/tickets\//);
  ticketPath = new URL(oscar.url()).pathname;
  const ticket = oscar.getByRole('dialog');
  await ticket.getByText('Goes to grace@customer.example by mail.').waitFor();

  // The worker dies after the server has the mail, and before the worker knows it.
  let received = () => {};
  const isReceived = new Promise<void>((resolve) => {
    received = resolve;
  });
  deliver = () => {
    received();
    return new Promise(() => {});
  };
  await ticket.getByRole('textbox', { name: 'Reply' }).fill('We send you a new lamp.');
  await oscar.keyboard.press('Enter');
  await isReceived;
  await worker.stop('SIGKILL');
  deliver = async () => {};
  // The claim of the dead worker ends by itself; the test does not wait for it.
  await database(own.url).query('update mail.messages set leased_until = now() where leased_until is not null');
  await work();
  const mail = await mailTo('grace@customer.example', 2);
  const ids = smtp.mails.filter(({ to }) => to.includes('grace@customer.example')).map((each) => headerOf(each, 'Message-ID'));
  expect(new Set(ids).size).toBe(1);
  await oscar.reload();
  await ticket.getByText('Mailed to grace@customer.example').waitFor();

  const [, address] = /<([^>]+)>/.exec(headerOf(mail, 'Reply-To'))!;
  const answer = {
    FromFull: { Email: 'grace@customer.example', Name: 'Grace' },
    ToFull: [{ Email: address, Name: '' }],
    OriginalRecipient: address,
    MessageID: randomUUID(),
    TextBody: 'Thank you!\n\n> We send you a new lamp.',
    Headers: [{ Name: 'Message-ID', Value: '<1@customer.example>' }],
    Attachments: [],
  };
  for (let times = 0; times < 2; times += 1) {
    const response = await fetch(`${url}/mail/postmark`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`postmark:${SECRET}`)}` },
      body: JSON.stringify(answer),
    });
    expect(response.status).toBe(200);
  }
  await oscar.reload();
  await ticket.getByText('Thank you!', { exact: true }).waitFor();
  await ticket.getByText('Waits for you').waitFor();
  expect(await ticket.getByText('Thank you!', { exact: true }).count()).toBe(1);
  expect(await accessibilityFaults(oscar)).toEqual([]);
});

browserTest('a visitor with a phone, in German, waits through a reload while nobody is free, and rates the reply', async () => {
  const phone = await site.open({ attributes: tag(), locale: 'de-DE', viewport: PHONE, hasTouch: true, isMobile: true });
  await phone.page.getByRole('button', { name: /^Chat öffnen/ }).click();
  await phone.ask('Hallo');
  await phone.messages.getByText('Echo: Hallo').waitFor();
  await phone.panel.getByRole('button', { name: 'Schlechte Antwort' }).click();
  await phone.panel.getByRole('button', { name: 'Weitere Optionen' }).click();
  await phone.panel.getByRole('button', { name: 'Mit einem Menschen sprechen' }).click();
  await phone.panel.getByText(/Wartet auf eine Person, Platz 1/).waitFor();
  // The panel covers a small screen, so it does not open by itself.
  await phone.page.reload();
  await phone.page.getByRole('button', { name: /^Chat öffnen/ }).click();
  await phone.panel.getByText(/Wartet auf eine Person, Platz 1/).waitFor();
  await oscar.goto(`/o/${shop.slug}/inbox`);
  await oscar.getByRole('link', { name: /Waits for a person/ }).click();
  await oscar.getByRole('log').getByLabel('Rated badly').waitFor();
  await oscar.getByRole('button', { name: 'Take over' }).click();
  await oscar.getByRole('button', { name: 'Close', exact: true }).click();
  await phone.messages.getByText('Das Gespräch mit dem Team wurde beendet.').waitFor();
  expect(phone.faults).toEqual([]);
  await phone.context.close();
});

browserTest('in the evening the conversation is closed and its transcript is mailed', async () => {
  await olivia.goto(conversationPath);
  await olivia.getByRole('button', { name: 'Close', exact: true }).click();
  await grace.messages.getByText('The conversation with the team was closed.').waitFor();
  await olivia.getByRole('button', { name: 'More actions' }).click();
  await olivia.getByRole('menuitem', { name: 'Mail the transcript to grace@customer.example' }).click();
  const transcript = textIn(await mailTo('grace@customer.example', 3));
  expect(transcript).toContain('The red one.');
  expect(transcript).not.toContain('She is a good customer.');
  await olivia.goto(ticketPath);
  await olivia.getByRole('dialog').getByRole('button', { name: 'Close the ticket' }).click();
  await olivia.getByRole('dialog').getByText('Closed', { exact: true }).waitFor();
  expect(grace.faults).toEqual([]);
});
