import type { Page } from 'playwright-core';
import { seedAgent } from '../agent/chat/chatting.ts';
import { caller } from '../support/client.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { browserTest, dashboard, url } from './dashboard.ts';
import { holdAnswer, runs } from './held-answer.ts';

const visit = dashboard();
const acme = await seedAgent(url, {}, { modules: ['helpdesk'] });

/** Lets the requests that run an operation fail, until the result is called. */
async function failing(page: Page, operation: string): Promise<() => Promise<void>> {
  const isMeant = runs(operation);
  await page.route('/graphql', (route) => (isMeant(route.request()) ? route.abort() : route.fallback()));
  return () => page.unrouteAll();
}

const createTicket = async (subject: string): Promise<{ id: string }> => {
  const create = 'mutation ($input: NewTicket!) { createTicket(input: $input) { id } }';
  return (await acme.admin.graphql(create, { input: { agentId: acme.agent.id, subject } })).createTicket;
};
const openTicket = (id: string) => visit(`/o/${acme.slug}/inbox/tickets/${id}`, { userId: acme.owner.id });

browserTest('a reply to a ticket stays while another page of messages loads, and when that fails', async () => {
  const { id } = await createTicket('Many notes');
  const notes = Array.from({ length: 51 }, (_, at) => `n${at}: addTicketNote(id: "${id}", text: "Note ${at}") { id }`);
  await acme.admin.graphql(`mutation { ${notes.slice(0, 26).join(' ')} }`);
  await acme.admin.graphql(`mutation { ${notes.slice(26).join(' ')} }`);
  const page = await openTicket(id);
  const dialog = page.getByRole('dialog');
  const reply = dialog.getByRole('textbox', { name: 'Reply' });
  await reply.fill('We are looking into it.');
  const mend = await failing(page, 'messages(page');
  await dialog.getByRole('button', { name: 'Page 2' }).click();
  await dialog.getByText('The server cannot be reached').waitFor();
  expect(await reply.inputValue()).toBe('We are looking into it.');
  await mend();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('Note 50').waitFor();
  expect(await reply.inputValue()).toBe('We are looking into it.');
});

browserTest('a reply that fails late stays beside the text that is typed meanwhile', async () => {
  const { id } = await createTicket('Slow network');
  const page = await openTicket(id);
  const reply = page.getByRole('dialog').getByRole('textbox', { name: 'Reply' });
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('/graphql', async (route) => {
    if (!runs('mutation ReplyToTicket')(route.request())) return route.fallback();
    await promise;
    await route.abort();
  });
  await reply.fill('The first answer.');
  await reply.press('Enter');
  await reply.fill('The second one.');
  resolve();
  await page.getByText('The server cannot be reached. Check').waitFor();
  expect(await reply.inputValue()).toBe('The first answer.\nThe second one.');
});

browserTest('a question precedes a navigation that would lose a reply', async () => {
  const { id } = await createTicket('Unsent');
  const page = await openTicket(id);
  const reply = page.getByRole('dialog').getByRole('textbox', { name: 'Reply' });
  await reply.fill('Not sent yet.');
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await reply.inputValue()).toBe('Not sent yet.');
});

browserTest('a list keeps its rows when it cannot be refreshed', async () => {
  await createTicket('Still here');
  const page = await visit(`/o/${acme.slug}/inbox/tickets`, { userId: acme.owner.id });
  const row = page.getByRole('link', { name: /Still here/ });
  await row.waitFor();
  const mend = await failing(page, 'query Tickets');
  const refresh = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await refresh();
  const notice = page.getByText('This could not be refreshed');
  await notice.waitFor();
  expect(await row.count()).toBe(1);
  await mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await notice.waitFor({ state: 'detached' });
  expect(await row.count()).toBe(1);
});

/** A queue with values of three products, the first of which is being edited. */
async function openReview() {
  const catalog = await seedCatalog();
  await catalog.enrich(await catalog.addColored(3));
  const page = await visit(`/o/${catalog.slug}/review`, { userId: catalog.owner.id });
  await page.getByText('3 open').waitFor();
  await page.keyboard.press('e');
  const field = page.locator('form textarea:visible').first();
  await field.fill('dark blue');
  return { page, field, entries: page.getByRole('region', { name: 'Values to review' }).getByRole('button') };
}

browserTest('a review queue that cannot be refreshed keeps its values and the open edit', async () => {
  const { page, field, entries } = await openReview();
  const counted = { __typename: 'Page', pagination: { __typename: 'Pagination', total: 3 } };
  const matched = { __typename: 'Matched', decided: 0, endCursor: null, failures: [], values: [] };
  await page.route('/graphql', (route) => {
    const matches = (operation: string) => runs(operation)(route.request());
    if (matches('query CountMatching')) return route.fulfill({ json: { data: { reviewQueue: counted } } });
    if (matches('mutation ReviewMatching')) return route.fulfill({ json: { data: { reviewMatching: matched } } });
    return matches('query ReviewQueue') ? route.abort() : route.fallback();
  });
  await page.getByRole('button', { name: 'Accept many' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Accept all' }).click();
  const notice = page.getByText('This could not be refreshed');
  await notice.waitFor();
  expect([await entries.count(), await field.inputValue()]).toEqual([3, 'dark blue']);
  expect(await page.getByText('Nothing to review').count()).toBe(0);
  await page.unrouteAll();
  const answer = await holdAnswer(page, 'query ReviewQueue');
  await page.getByRole('button', { name: 'Try again' }).click();
  await answer.held;
  expect([await entries.count(), await field.inputValue()]).toEqual([3, 'dark blue']);
  await answer.release();
  expect([await notice.count(), await entries.count(), await field.inputValue()]).toEqual([0, 3, 'dark blue']);
});

browserTest('an edited value stays while another one is chosen, and when it cannot be saved', async () => {
  const { page, field, entries } = await openReview();
  await entries.nth(1).click();
  await field.waitFor({ state: 'detached' });
  await entries.nth(0).click();
  expect(await field.inputValue()).toBe('dark blue');
  await failing(page, 'mutation Review(');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached. Check').waitFor();
  await until(async () => (await entries.count()) === 3);
  await entries.nth(0).click();
  expect(await field.inputValue()).toBe('dark blue');
});

browserTest('a start page that cannot read the decisions does not claim that there are none', async () => {
  const page = await visit('about:blank', { userId: acme.owner.id });
  const mend = await failing(page, 'query AgentDecisions');
  // The first update over the socket would read the decisions again.
  await page.routeWebSocket(/\/graphql$/, () => {});
  await page.goto(`/o/${acme.slug}`);
  const decisions = page.getByRole('region', { name: 'Needs a decision' });
  await decisions.getByText('The server cannot be reached').waitFor();
  expect(await decisions.getByText('Nothing waits for you.').count()).toBe(0);
  await mend();
  await decisions.getByRole('button', { name: 'Try again' }).click();
  await decisions.getByText('Nothing waits for you.').waitFor();
});

browserTest('a bulk decision whose values cannot be counted does not claim that there are none', async () => {
  const catalog = await seedCatalog();
  await catalog.enrich(await catalog.addColored(1));
  const page = await visit(`/o/${catalog.slug}/review`, { userId: catalog.owner.id });
  const mend = await failing(page, 'query CountMatching');
  await page.getByRole('button', { name: 'Accept many' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The server cannot be reached').waitFor();
  expect(await dialog.getByText(/values? match/).count()).toBe(0);
  await mend();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText(/values? match/).waitFor();
});

browserTest('the use of another period appears only when it is known', async () => {
  const page = await visit(`/o/${acme.slug}/settings/credits`, { userId: acme.owner.id });
  const days = page.getByRole('list', { name: 'Use' }).getByRole('listitem');
  await until(async () => (await days.count()) === 30);
  const answer = await holdAnswer(page, 'query CreditUsage');
  await page.getByText('90 days').click();
  await answer.held;
  expect(await days.count()).toBe(0);
  await answer.release();
  expect(await days.count()).toBe(90);
});

browserTest('a question precedes a navigation that would lose the instruction of an import', async () => {
  const page = await visit(`/o/${acme.slug}/imports/new`, { userId: acme.owner.id });
  const prompt = page.getByLabel('Instruction');
  await prompt.fill('Only the lamps of the first sheet.');
  await page.getByRole('navigation').getByRole('link', { name: 'Jobs' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click();
  expect(await prompt.inputValue()).toBe('Only the lamps of the first sheet.');
});

browserTest('an origin that is not saved yet stays while another one is allowed', async () => {
  const page = await visit(`/o/${acme.slug}/agents/${acme.agent.id}/embed`, { userId: acme.owner.id });
  const origins = page.getByRole('combobox', { name: 'Origins' });
  await origins.fill('https://blog.example.com');
  await origins.press('Enter');
  await page.getByLabel('Address of the page').fill('https://www.shop.example.com/lamps');
  await page.getByRole('button', { name: 'Allow https://www.shop.example.com' }).click();
  await page.getByText('This page can embed the widget').waitFor();
  await page.getByRole('button', { name: 'Save', disabled: false }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { agent } = await acme.admin.graphql('query ($id: ID!) { agent(id: $id) { allowedOrigins } }', { id: acme.agent.id });
  expect(agent.allowedOrigins).toEqual(expect.arrayContaining(['https://blog.example.com', 'https://www.shop.example.com']));
});

browserTest('a saved page of a site counts as saved when its new version cannot be read', async () => {
  const { slug, owner, key } = await seedOrganization();
  const api = caller(key);
  const make = async (query: string, variables: Record<string, unknown>) =>
    (await api.graphql(`mutation ${query}`, variables)).made.id as string;
  const workspaceId = await make('{ made: createWorkspace(input: { name: "W", slug: "w" }) { id } }', {});
  const siteId = await make('($input: NewSite!) { made: createSite(input: $input) { id } }', {
    input: { workspaceId, name: 'Shop', slug: 'shop' },
  });
  const id = await make(
    '($siteId: ID!) { made: createPage(siteId: $siteId, input: { title: "About us", slug: "about" }) { id } }',
    { siteId },
  );
  const page = await visit(`/o/${slug}/content/${siteId}/pages/${id}`, { userId: owner.id });
  const title = page.getByRole('textbox', { name: 'Title', exact: true });
  const save = page.getByRole('button', { name: 'Save' });
  await title.fill('About the company');
  const mend = await failing(page, 'query SitePage(');
  await save.click();
  await page.getByText('This could not be refreshed').waitFor();
  await until(() => save.isDisabled());
  await mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'About the company' }).waitFor();
  await title.fill('About all of us');
  await save.click();
  await page.getByRole('heading', { name: 'About all of us' }).waitFor();
});
