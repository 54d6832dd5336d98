import type { Page } from 'playwright-core';
import { seedAgent } from '../agent/chat/chatting.ts';
import { browserTest, dashboard, url } from './dashboard.ts';
import { holdAnswer } from './held-answer.ts';

const visit = dashboard();
const acme = await seedAgent(url, {}, { modules: ['helpdesk'] });
const agentId = acme.agent.id;

interface Case {
  name: string;
  create: string;
  /** Path of the page, below the organization. */
  path(id: string): string;
  open(page: Page): Promise<void>;
  /** The label and the value of the field that the user edits. */
  edit: [string, string];
  /** The change of a colleague. */
  change: string;
  read: string;
  expected: object;
}

const edited = (name: string) => async (page: Page) => page.getByRole('button', { name: `Edit: ${name}` }).click();

const cases: Case[] = [
  {
    name: 'tool',
    create: `createTool(agentId: "${agentId}", input: { name: "find", description: "Old", method: GET, endpointUrl: "https://shop.example.com/" }) { id }`,
    path: () => `agents/${agentId}/tools`,
    open: edited('find'),
    edit: ['Name', 'find_order'],
    change: `updateTool(agentId: "${agentId}", id: $id, input: { description: "New" }) { id }`,
    read: `tools(agentId: "${agentId}") { name description }`,
    expected: [{ name: 'find_order', description: 'New' }],
  },
  {
    name: 'MCP server',
    create: `createMcpServer(agentId: "${agentId}", input: { name: "Stock", url: "https://old.example.com/" }) { id }`,
    path: () => `agents/${agentId}/mcp`,
    open: edited('Stock'),
    edit: ['Name', 'Warehouse'],
    change: 'updateMcpServer(id: $id, input: { url: "https://new.example.com/" }) { id }',
    read: `mcpServers(agentId: "${agentId}") { name url }`,
    expected: [{ name: 'Warehouse', url: 'https://new.example.com/' }],
  },
  {
    name: 'form',
    create: `createCustomForm(agentId: "${agentId}", input: { name: "returns", title: "Returns", fields: [{ name: "a", label: "A" }] }) { id }`,
    path: () => `agents/${agentId}/forms`,
    open: edited('Returns'),
    edit: ['Title', 'Refunds'],
    change: 'updateCustomForm(id: $id, input: { enabled: false }) { id }',
    read: `agentForms(agentId: "${agentId}") { title enabled }`,
    expected: [{ title: 'Refunds', enabled: false }],
  },
  {
    name: 'webhook',
    create: 'createWebhook(input: { url: "https://old.example.com/", eventType: ["product_enrichment.completed"] }) { id }',
    path: (id) => `webhooks/catalog/${id}`,
    async open(page) {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
    },
    edit: ['Address', 'https://new.example.com/'],
    change: 'updateWebhook(id: $id, input: { method: put }) { id }',
    read: 'webhooks { url method }',
    expected: [{ url: 'https://new.example.com/', method: 'put' }],
  },
];

browserTest.each(cases)('a saved $name leaves what a colleague changed while it was open', async (each) => {
  const created = await acme.admin.graphql(`mutation { made: ${each.create} }`);
  const { id } = created.made;
  const page = await visit(`/o/${acme.slug}/${each.path(id)}`, { userId: acme.owner.id });
  await each.open(page);
  const [label, value] = each.edit;
  await page.getByRole('textbox', { name: label, exact: true }).fill(value);
  await acme.admin.graphql(`mutation ($id: ID!) { ${each.change} }`, { id });
  const isSaved = page.waitForResponse((response) => response.request().postData()?.includes('mutation') ?? false);
  await page.getByRole('button', { name: 'Save' }).click();
  await (await isSaved).finished();
  expect((await acme.admin.graphql(`{ read: ${each.read} }`)).read).toEqual(each.expected);
});

browserTest('a dialog asks before it closes with typed text', async () => {
  const page = await visit(`/o/${acme.slug}/agents/${agentId}/tools`, { userId: acme.owner.id });
  const form = page.getByRole('dialog', { name: 'Add tool' });
  const question = page.getByRole('dialog', { name: 'Close without saving?' });
  const open = () => page.getByRole('button', { name: 'Add tool' }).first().click();
  await open();
  await form.waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });

  await open();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('find_order');
  await page.keyboard.press('Escape');
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  expect(await form.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('find_order');

  await form.getByRole('button', { name: 'Close' }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await form.waitFor({ state: 'detached' });
});

browserTest('a form that closes after it is saved takes no text that would be lost', async () => {
  const page = await visit(`/o/${acme.slug}/agents`, { userId: acme.owner.id });
  await page.getByRole('button', { name: 'New agent' }).first().click();
  const dialog = page.getByRole('dialog');
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await name.fill('Ida');
  const answer = await holdAnswer(page, 'mutation CreateAgent');
  await name.press('Enter');
  await answer.held;
  expect(await name.isEditable()).toBe(false);
  await page.keyboard.type(' and more');
  expect(await name.inputValue()).toBe('Ida');
  await answer.release();
  await page.getByRole('heading', { level: 1, name: 'Ida' }).waitFor();
});

browserTest('a form that could not be saved can be edited again at once', async () => {
  const page = await visit(`/o/${acme.slug}/agents`, { userId: acme.owner.id });
  await page.getByRole('button', { name: 'New agent' }).first().click();
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
  await name.fill('Ida');
  await page.route('/graphql', (route) => route.abort(), { times: 1 });
  await name.press('Enter');
  await page.getByText('The server cannot be reached.').waitFor();
  await page.keyboard.type(' and more');
  expect(await name.inputValue()).toBe('Ida and more');
});

browserTest('the confirmation of a save does not cover the button of the form', async () => {
  const make = async (query: string): Promise<string> => (await acme.admin.graphql(`mutation { made: ${query} { id } }`)).made.id;
  const workspaceId = await make('createWorkspace(input: { name: "W", slug: "w" })');
  const siteId = await make(`createSite(input: { workspaceId: "${workspaceId}", name: "Shop", slug: "shop" })`);
  const page = await visit(`/o/${acme.slug}/content/${siteId}/pages/new`, { userId: acme.owner.id });
  const title = page.getByRole('textbox', { name: 'Title', exact: true });
  await title.fill('About');
  await page.getByRole('textbox', { name: 'Short name' }).fill('about');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Saved.').waitFor();
  await title.fill('About us');
  // The pointer stops the time of a confirmation below it.
  await page.getByRole('button', { name: 'Save' }).click({ timeout: 3_000 });
  await page.getByRole('heading', { level: 1, name: 'About us' }).waitFor();
});
