import { readFile } from 'node:fs/promises';
import { ORIGIN, question, seedAgent, send } from '../agent/chat/chatting.ts';
import { closeOffice, connect, mintToken, requestPerson, SEND_VISITOR, VISITOR_EVENTS } from '../agent/handoff/handing-off.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { openGateway } from '../support/gateway.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
const visit = dashboard(gateway);
const acme = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
const inbox = `/o/${acme.slug}/inbox`;
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

/** A conversation of a visitor with the agent. */
const talk = (text: string, headers: object = {}) => send(acme.widgetPath, question(text), { origin: ORIGIN, ...headers });

browserTest('an operator sees a waiting visitor at once, takes over, talks, hands back and closes', async () => {
  const page = await visit(inbox, { userId: acme.owner.id });
  await page.getByText('No conversations yet').waitFor();
  const { conversationId, visitorId } = await talk('My lamp <b>flickers</b>');
  await requestPerson(acme, { conversationId, reason: 'It is urgent.' }, visitorId);
  await page.getByLabel('1 visitor waits').waitFor();
  await page.getByRole('link', { name: /Waits for a person/ }).click();
  await page.getByText('“It is urgent.”').waitFor();
  const log = page.getByRole('log');
  await log.getByText('My lamp <b>flickers</b>', { exact: true }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByRole('button', { name: 'Take over' }).click();
  const visitor = connect(gateway.url, { handoffToken: await mintToken(acme, { visitorId, conversationId }) });
  const { events } = visitor.events(VISITOR_EVENTS);
  await page.getByLabel('Write to the visitor').fill('Hello, I am a person.');
  await page.keyboard.press('Enter');
  await log.getByText('Hello, I am a person.').waitFor();
  await until(() => events.some(({ message }) => message?.text === 'Hello, I am a person.'));
  await until(() => events.some(({ type, party }) => type === 'typing' && party === 'operator'));
  await visitor.run('mutation { setVisitorTyping }');
  await page.getByText('The visitor is typing').waitFor();
  const { data } = await visitor.run(SEND_VISITOR, { text: 'It flickers at night.' });
  await log.getByText('It flickers at night.').waitFor();
  await until(() =>
    events.some(
      ({ type, party, seenTo }) => type === 'seen' && party === 'operator' && seenTo === data.sendVisitorMessage.position,
    ),
  );

  await page.getByRole('button', { name: 'Hand back' }).click();
  await page.getByLabel('Write to the visitor').waitFor({ state: 'detached' });
  await talk('Are you there?', { 'x-visitor-id': visitorId }).then(({ conversationId: next }) => expect(next).toBeTruthy());
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Open again' }).waitFor();
  await visitor.close();
});

browserTest('office hours are set in the settings of the agent, and a request outside of them says so in the inbox', async () => {
  const shop = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
  const page = await visit(`/o/${shop.slug}/agents/${shop.agent.id}/settings`, {
    userId: shop.owner.id,
    timezoneId: 'Europe/Berlin',
  });
  const form = page.getByRole('region', { name: 'Office hours' });
  await form.getByRole('switch', { name: 'People answer only at certain times' }).check();
  await form.getByLabel('Monday, from', { exact: true }).fill('08:30');
  await form.getByRole('button', { name: 'Add a second time: Monday' }).click();
  for (const day of ['Tuesday', 'Wednesday', 'Thursday', 'Friday']) await form.getByLabel(day, { exact: true }).uncheck();
  const today = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Berlin' }).format();
  await form.getByLabel('Closed dates').click();
  await page.getByRole('button', { name: /^15 / }).click();
  await page.keyboard.press('Escape');
  await form.getByLabel('Away message').fill('Back soon.');
  expect(await accessibilityFaults(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save: Office hours' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const READ = `query ($id: ID!) { agent(id: $id) { officeHours { timeZone spans { weekday opensAt closesAt } closedDates awayMessage } } }`;
  expect((await shop.admin.graphql(READ, { id: shop.agent.id })).agent.officeHours).toEqual({
    timeZone: 'Europe/Berlin',
    spans: [
      { weekday: 1, opensAt: '08:30', closesAt: '17:00' },
      { weekday: 1, opensAt: '18:00', closesAt: '20:00' },
    ],
    closedDates: [today.replace(/..$/, '15')],
    awayMessage: 'Back soon.',
  });
  await form.getByRole('button', { name: 'Save: Office hours' }).waitFor({ state: 'detached' });
  await page
    .getByRole('region', { name: /Outside of the office hours/ })
    .getByText(/^Back soon\. Back on/)
    .waitFor();

  await closeOffice(shop, 'Back soon.');
  await requestPerson(shop, { reason: 'At night' });
  await page.goto(`/o/${shop.slug}/inbox`);
  await page.getByRole('link', { name: /Outside of office hours/ }).click();
  await page.getByText(/This was outside of the office hours; the next opening was given as .*[12]:00 PM/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

browserTest(
  'a colleague is asked before a conversation is taken from another, and a phone shows the list or the conversation',
  async () => {
    const colleague = await acme.addMember('member');
    const { conversationId } = await talk('I need help');
    const page = await visit(`${inbox}/conversations/${conversationId}`, { userId: acme.owner.id });
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByLabel('Write to the visitor').waitFor();
    const phone = await visit(`${inbox}/conversations`, { userId: colleague.id, viewport: PHONE });
    await phone
      .getByRole('link', { name: /I need help|Echo/ })
      .first()
      .click();
    await phone.getByRole('button', { name: 'Take over' }).click();
    await phone.getByRole('dialog').getByRole('button', { name: 'Take over' }).click();
    await phone.getByLabel('Write to the visitor').waitFor();
    await page.getByLabel('Write to the visitor').waitFor({ state: 'detached' });
    expect(await accessibilityFaults(phone)).toEqual([]);
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
    await phone.getByRole('link', { name: 'Back' }).click();
    await phone.getByRole('searchbox', { name: 'Search in messages' }).fill('nothing like this');
    await phone.getByText('Nothing matches').waitFor();
  },
);

browserTest('a reply whose nesting exhausts the parser of Markdown is shown as text', async () => {
  provider.on('a deep reply', (response) => response.text(`${'>'.repeat(9_000)} the end`).finish());
  const { conversationId } = await talk('a deep reply please');
  const page = await visit(`${inbox}/conversations/${conversationId}`, { userId: acme.owner.id });
  await page
    .getByRole('log')
    .getByText(/>>> the end/)
    .waitFor();
  await page.getByRole('button', { name: 'Take over' }).waitFor();
});

browserTest('a ticket is created, assigned, answered and closed', async () => {
  const page = await visit(`${inbox}/tickets`, { userId: acme.owner.id });
  await page.getByText('No tickets yet').waitFor();
  await page.getByRole('button', { name: 'New ticket' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Subject').fill('The lamp is broken');
  await dialog.getByLabel('E-mail').fill('grace@example.com');
  await dialog.getByRole('button', { name: 'New ticket' }).click();
  await dialog.getByRole('button', { name: 'Assign to me' }).click();
  await dialog.getByText('Waits for you').waitFor();
  await dialog.getByRole('textbox', { name: 'Reply' }).fill('We send you a new one.');
  await page.keyboard.press('Enter');
  await dialog.getByText('Waits for the customer').waitFor();
  await dialog.getByText('We send you a new one.').waitFor();
  await dialog.getByRole('combobox', { name: 'Tags' }).fill('VIP <b>');
  await page.keyboard.press('Enter');
  await dialog.getByText('vip <b>', { exact: true }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close the ticket' }).click();
  await dialog.getByText('Closed', { exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: /The lamp is broken/ }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  const search = page.getByRole('searchbox', { name: 'Number, e-mail or #tag' });
  await search.fill('#other');
  await page.getByText('Nothing matches').waitFor();
  await search.fill('#Vip <B>');
  await page.getByRole('link', { name: /The lamp is broken/ }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

browserTest('members keep canned replies, and insert them by keyboard and on a phone', async () => {
  const member = await acme.addMember('member');
  const page = await visit(`${inbox}/settings`, { userId: member.id });
  await page.getByText('No canned replies yet').waitFor();
  const dialog = page.getByRole('dialog');
  const fill = async (name: string, text: string) => {
    await dialog.getByLabel('Short name').fill(name);
    await dialog.getByLabel('Text').fill(text);
    await dialog.getByRole('button', { name: 'Save' }).click();
  };
  await page.getByRole('button', { name: 'Add a canned reply' }).click();
  await fill('two words', 'x');
  await dialog.getByText('start with a letter or a digit').waitFor();
  await fill('Hello', 'Hello {{name|there}}, <b>we</b> help.');
  await page.getByText('/hello', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add a canned reply' }).click();
  await fill('HELLO', 'Hi');
  await dialog.getByText('A canned reply with the name hello already exists.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await fill('open-hours', 'Dear {{name}}, we open at 9.\n');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('/open-hours', { exact: true }).waitFor();
  await photograph(page, 'canned-replies');
  expect(await accessibilityFaults(page)).toEqual([]);

  const { conversationId } = await talk('Are you open?');
  await page.goto(`${page.url().replace(/settings$/, 'conversations')}/${conversationId}`);
  await page.getByRole('button', { name: 'Take over' }).click();
  const answer = page.getByLabel('Write to the visitor');
  const options = page.getByRole('listbox', { name: 'Canned replies' }).getByRole('option');
  await answer.pressSequentially('and/or /');
  await options.nth(1).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('option', { name: '/open-hours', selected: true }).waitFor();
  await photograph(page, 'canned-replies-offered');
  expect(await accessibilityFaults(page)).toEqual([]);
  await answer.pressSequentially('LO');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('and/or Hello there, <b>we</b> help.', { exact: true }).waitFor();
  expect(await options.count()).toBe(0);

  const { createTicket: ticket } = await acme.admin.graphql(
    'mutation ($input: NewTicket!) { createTicket(input: $input) { id } }',
    { input: { agentId: acme.agent.id, subject: 'Hours', requesterName: '$& <i>Alan\n' } },
  );
  const phone = await visit(`${inbox}/tickets/${ticket.id}`, { userId: member.id, viewport: PHONE });
  const reply = phone.getByRole('dialog').getByRole('textbox', { name: 'Reply' });
  await reply.pressSequentially('/open');
  await phone.getByRole('option', { name: '/open-hours' }).waitFor();
  expect(await accessibilityFaults(phone)).toEqual([]);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  await phone.keyboard.press('Escape');
  await phone.getByRole('option').waitFor({ state: 'detached' });
  await reply.fill('');
  await reply.pressSequentially('/hours');
  await phone.getByRole('option', { name: '/open-hours' }).click();
  expect(await reply.inputValue()).toBe('Dear $& <i>Alan, we open at 9.\n');

  await page.goto(page.url().replace(/conversations.*/, 'settings'));
  await page.getByRole('button', { name: 'Edit: hello' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete the canned reply hello?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('/hello', { exact: true }).waitFor({ state: 'detached' });
  const nul = 'mutation ($text: String!) { createCannedReply(name: "nul", text: $text) { id } }';
  const { body } = await acme.admin.post('/graphql', { query: nul, variables: { text: 'x\0y' } });
  expect(body.errors[0].extensions.code).toBe('INVALID_INPUT');
});

browserTest('a duplicate is merged, a refusal says why, and a contact has all its records', async () => {
  const ticketOf = async (subject: string, requesterEmail: string): Promise<{ id: string; ticketNumber: string }> => {
    const input = { agentId: acme.agent.id, subject, requesterEmail, requesterName: 'Alan <i>Turing</i>' };
    const create = 'mutation ($input: NewTicket!) { createTicket(input: $input) { id ticketNumber } }';
    return (await acme.admin.graphql(create, { input })).createTicket;
  };
  const kept = await ticketOf('The switch is loose', 'alan@example.com');
  const twice = await ticketOf('Loose switch', 'Alan@example.com');
  const foreign = await ticketOf('Of a visitor', 'visitor@example.com');
  const { conversationId } = await talk('My switch is loose');
  await database().query('update agent.tickets set conversation_id = $2 where id = $1', [foreign.id, conversationId]);
  const page = await visit(`${inbox}/tickets/${kept.id}`, { userId: acme.owner.id });
  await page.getByRole('button', { name: 'Merge a duplicate' }).click();
  const dialog = page.getByRole('dialog', { name: `Merge into ${kept.ticketNumber}` });
  await dialog.getByRole('radio', { name: /Loose switch/ }).waitFor();
  expect(await dialog.getByRole('radio').count()).toBe(1);
  await dialog.getByRole('searchbox').fill(foreign.ticketNumber.toLowerCase());
  await dialog.getByRole('radio', { name: /Of a visitor/ }).check();
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await dialog.getByRole('alert').getByText('come from different people').waitFor();
  await photograph(page, 'ticket-merge');
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('searchbox').fill('');
  await dialog.getByRole('radio', { name: /Loose switch/ }).check();
  await dialog.getByText(`The messages of ${twice.ticketNumber} move to ${kept.ticketNumber}.`).waitFor();
  await dialog.getByRole('button', { name: 'Merge', exact: true }).press('Enter');
  await page.getByText(`${twice.ticketNumber} was merged into ${kept.ticketNumber}.`).waitFor();
  await page.getByRole('article').getByText(`Merged ${twice.ticketNumber}`).waitFor();

  await page.getByRole('link', { name: 'All records of this contact' }).click();
  const contact = page.getByRole('dialog', { name: 'Alan <i>Turing</i>' });
  await contact
    .getByRole('region', { name: 'Tickets (2)' })
    .getByRole('link', { name: /Loose switch/ })
    .waitFor();
  await contact.getByRole('region', { name: 'Leads (0)' }).getByText('None').waitFor();
  await photograph(page, 'contact');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox', { name: 'Exact e-mail address' }).fill('ALAN@example.com');
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
  await page.getByRole('link', { name: 'Alan <i>Turing</i>' }).waitFor();
  await photograph(page, 'contacts');
  expect(await accessibilityFaults(page)).toEqual([]);
});

browserTest('an admin saves everything that is kept of a contact, and erases it', async () => {
  const input = {
    agentId: acme.agent.id,
    subject: 'Forget me',
    requesterEmail: 'hedy@example.com',
    requesterName: 'Hedy Lamarr',
  };
  const { createTicket: ticket } = await acme.admin.graphql(
    'mutation ($input: NewTicket!) { createTicket(input: $input) { id contactId } }',
    { input },
  );
  const page = await visit(`${inbox}/contacts/${ticket.contactId}`, { userId: acme.owner.id });
  const contact = page.getByRole('dialog', { name: 'Hedy Lamarr' });
  await contact.getByRole('region', { name: 'Tickets (1)' }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), contact.getByRole('button', { name: 'Export' }).click()]);
  const records = JSON.parse(await readFile(await download.path(), 'utf8'));
  expect(records).toMatchObject([
    { type: 'contact', email: 'hedy@example.com', name: 'Hedy Lamarr' },
    { type: 'ticket', subject: 'Forget me' },
  ]);
  await photograph(page, 'contact-personal-data');
  expect(await accessibilityFaults(page)).toEqual([]);
  await contact.getByRole('button', { name: 'Erase …' }).click();
  const question = page.getByRole('dialog', { name: 'Erase Hedy Lamarr?' });
  await question.getByText('This cannot be undone.').waitFor();
  await photograph(page, 'contact-erase');
  expect(await accessibilityFaults(page)).toEqual([]);
  const isErased = async () => {
    const query = 'query ($id: ID!) { contactErasure(contactId: $id) { completedAt } }';
    return (await acme.admin.graphql(query, { id: ticket.contactId })).contactErasure.completedAt !== null;
  };
  // An erasure may end before the page reads the contact again.
  await page.route('/graphql', async (route) => {
    if (/query Contact\(/.test(route.request().postData() ?? '')) await until(isErased);
    await route.fallback();
  });
  await question.getByRole('button', { name: 'Erase', exact: true }).click();
  await page.getByText('The contact was erased.').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Hedy Lamarr' }).waitFor({ state: 'detached' });
  const { ticket: left } = await acme.admin.graphql('query ($id: ID!) { ticket(id: $id) { subject erasedAt } }', { id: ticket.id });
  expect(left).toEqual({ subject: 'Erased', erasedAt: expect.any(String) });
});

browserTest('leads and form submissions are exported whole, without formulas', async () => {
  for (let first = 1; first <= 101; first += 20) {
    const names = Array.from({ length: 20 }, (_, index) => (first + index === 1 ? '=1+1' : `Lead ${first + index}`));
    const creates = names.map(
      (name, index) => `l${index}: createLead(input: { agentId: "${acme.agent.id}", name: "${name}" }) { id }`,
    );
    await acme.admin.graphql(`mutation { ${creates.join(' ')} }`);
  }
  const page = await visit(`${inbox}/leads`, { userId: acme.owner.id });
  await page.getByText('Lead 120').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const csvOf = async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()]);
    return (await readFile(await download.path(), 'utf8')).split(/\r?\n/);
  };
  const leads = await csvOf();
  expect(leads.filter((line) => line.includes('Lead '))).toHaveLength(119);
  expect(leads.some((line) => line.includes(",'=1+1,"))).toBe(true);

  const form = { name: 'callback', title: 'Call me back', fields: [{ name: 'phone', label: 'Phone', type: 'phone' }] };
  await acme.admin.graphql('mutation ($id: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $id, input: $input) { id } }', {
    id: acme.agent.id,
    input: form,
  });
  const SUBMIT =
    'mutation ($slug: String!, $values: JSONObject!) { submitWidgetForm(publicSlug: $slug, formName: "callback", values: $values) { id } }';
  const body = { query: SUBMIT, variables: { slug: acme.agent.publicSlug, values: { phone: '+49 421 12345' } } };
  await acme.admin.post('/graphql', body, { origin: ORIGIN });
  await page.getByRole('tab', { name: 'Forms' }).click();
  await page.getByRole('button', { name: 'Call me back' }).click();
  await page.getByRole('dialog').getByText('+49 421 12345').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect((await csvOf())[1]).toContain('+49 421 12345');
});

browserTest('markup and script addresses of visitors, agents and leads stay text', async () => {
  const markup = '<img src=x onerror="document.title=1"> [run](javascript:document.title=1)';
  provider.on('onerror', (response) => response.text(`You said: ${markup} [ok](https://example.com/)`).finish());
  const pageContext = { sku: 'L-9', title: markup, url: 'javascript:document.title=1', [markup.slice(0, 40)]: true };
  const { conversationId } = await send(acme.widgetPath, { ...question(markup), pageContext }, { origin: ORIGIN });
  await acme.admin.graphql('mutation ($input: NewLead!) { createLead(input: $input) { id } }', {
    input: { agentId: acme.agent.id, name: markup, email: 'eve@example.com?bcc=spy%40example.org' },
  });
  const page = await visit(`${inbox}/conversations/${conversationId}`, { userId: acme.owner.id });
  const log = page.getByRole('log');
  await log.getByText(markup, { exact: true }).waitFor();
  await log.getByText(/^You said: <img src=x/).waitFor();
  expect(await log.getByRole('link').evaluateAll((links) => links.map((each) => each.getAttribute('href')))).toEqual([
    'https://example.com/',
  ]);
  const described = page.getByRole('region', { name: 'Page of the visitor' });
  expect(await described.getByRole('term').allInnerTexts()).toEqual(Object.keys(pageContext));
  expect(await described.getByRole('definition').allInnerTexts()).toEqual(Object.values(pageContext).map(String));
  expect(await described.getByRole('link').count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Leads' }).click();
  await page.getByText(markup).waitFor();
  // Nobody but the lead would get the message.
  const mail = page.getByRole('link', { name: 'eve@example.com?bcc=' });
  expect(await mail.getAttribute('href')).toBe('mailto:eve@example.com%3Fbcc%3Dspy%2540example.org');
  expect(await page.locator('img[src="x"], a[href^="javascript:" i]').count()).toBe(0);
  expect(await page.title()).toBe('Inbox');
});
