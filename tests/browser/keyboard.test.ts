import type { Page } from 'playwright-core';
import { question, send } from '../agent/chat/chatting.ts';
import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { seedLink } from '../support/session.ts';
import { until } from '../support/until.ts';
import { browserTest, dashboard, url } from './dashboard.ts';
import { type Keyboard, keyboardOf } from './keyboard.ts';

const visit = dashboard();
const origin = 'https://shop.example.com';
/** All flows share an organization. */
let catalog: Awaited<ReturnType<typeof seedCatalog>>;
beforeAll(async () => {
  catalog = await seedCatalog([color, weight], { modules: ['helpdesk'] });
});

interface Flow {
  name: string;
  /** Creates what the flow works on. Returns the path of its page, below the organization. */
  start(): Promise<string> | string;
  walk(keys: Keyboard, page: Page): Promise<void>;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

const flows: Flow[] = [
  {
    name: 'files are imported',
    start: () => 'imports/new',
    async walk(keys, page) {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), keys.use(button(page, 'Choose files'))]);
      const buffer = Buffer.from('SKU,Name\nK-1,Kettle\nK-2,Cup\n');
      await chooser.setFiles([{ name: 'keyboard.csv', mimeType: 'text/csv', buffer }]);
      await page.getByText('Uploaded', { exact: true }).waitFor();
      await keys.use(page.getByRole('radio', { name: 'Budget model' }), 'Space');
      await keys.use(button(page, 'Find products'));
      await page.getByText('2 found').waitFor();
      await keys.use(button(page, 'Cup'));
      await keys.write(page.getByRole('dialog').getByLabel('Name'), 'Mug');
      await keys.press('Enter');
      await keys.hasFocus(button(page, 'Mug'));
      await keys.use(page.getByRole('row', { name: /Mug/ }).getByRole('checkbox'), 'Space');
      await keys.use(button(page, 'Import 1 chosen'));
      await page.getByText('1 product imported').waitFor();
    },
  },
  {
    name: 'a job is started',
    start: () => 'jobs/new?kind=brand-enrichment',
    async walk(keys, page) {
      await keys.write(page.getByLabel('Names'), 'Norrvik');
      await keys.use(page.getByRole('radio', { name: 'Budget model' }), 'Space');
      await keys.use(page.getByRole('switch', { name: 'Also search the web' }), 'Space');
      await keys.use(button(page, 'Start'));
      await page.getByRole('heading', { level: 1, name: 'Brand enrichment' }).waitFor();
    },
  },
  {
    name: 'values are reviewed',
    async start() {
      await catalog.enrich(await catalog.addColored(3));
      return 'review';
    },
    async walk(keys, page) {
      const entries = page.getByRole('region', { name: 'Values to review' }).getByRole('button');
      await until(async () => (await entries.count()) === 3);
      await keys.press('j', 'k', 'a');
      await until(async () => (await entries.count()) === 2);
      await keys.use(button(page, /^Edit/));
      await keys.hasFocus(page.locator('form').getByRole('textbox'));
      await keys.press('Escape');
      await keys.press('e');
      await keys.write(page.locator('form').getByRole('textbox'), 'blue');
      await keys.use(button(page, 'Save'));
      await until(async () => (await entries.count()) === 1);
      await keys.use(button(page, 'Accept many'));
      await keys.press('Escape');
      await keys.hasFocus(button(page, 'Accept many'));
      await keys.use(button(page, 'Reject'));
      await page.getByText('Nothing to review').waitFor();
    },
  },
  {
    name: 'attributes of a set are put into another order',
    async start() {
      const { createAttributeSet } = await catalog.api.graphql(
        'mutation ($ids: [ID!]!) { createAttributeSet(name: "Chairs", attributeIds: $ids) { id } }',
        { ids: [catalog.attributeIds.color, catalog.attributeIds.weight] },
      );
      return `attributes/sets/${createAttributeSet.id}`;
    },
    async walk(keys, page) {
      await keys.use(button(page, 'Move Weight'), 'Space');
      await keys.press('ArrowUp', 'Space');
      await page.getByRole('list', { name: 'Attributes' }).getByRole('listitem').first().getByText('Weight').waitFor();
      await keys.use(button(page, 'Save'));
      await page.getByText('Saved.').waitFor();
      await keys.use(button(page, 'Delete'));
      await keys.use(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
      await keys.hasFocus(button(page, 'Delete'));
    },
  },
  {
    name: 'an agent gets settings and a source',
    async start() {
      const { createAgent } = await catalog.api.graphql('mutation { createAgent(input: { name: "Ida" }) { id } }');
      return `agents/${createAgent.id}`;
    },
    async walk(keys, page) {
      const preview = page.frameLocator('iframe');
      await preview.getByRole('dialog').waitFor();
      await keys.write(page.getByLabel('Welcome message'), 'Good morning');
      await preview.getByText('Good morning').waitFor();
      await keys.use(button(page, 'Save'));
      await page.getByText('No unsaved changes').waitFor();
      // The widget in the preview does not keep the focus.
      await keys.to(page.getByRole('link', { name: 'Skip to the content' }));

      await keys.to(page.getByRole('tab', { name: 'Settings' }));
      await keys.press('ArrowRight', 'ArrowRight', 'Enter');
      await keys.use(button(page, 'Add source').first());
      const dialog = page.getByRole('dialog');
      await keys.hasFocus(dialog.getByLabel('Name'));
      await keys.to(dialog.getByRole('radio').first(), 'Shift+Tab');
      await keys.press('ArrowRight');
      await keys.write(dialog.getByLabel('Name'), 'Returns');
      await keys.write(dialog.getByRole('textbox', { name: 'Text' }), 'Thirty days.');
      await keys.use(dialog.getByRole('button', { name: 'Add' }));
      await dialog.waitFor({ state: 'detached' });
      await keys.use(button(page, /Returns/));
      await keys.hasFocus(dialog.getByRole('button', { name: 'Close' }).first());
      await keys.press('Escape');
      await keys.hasFocus(button(page, /Returns/));
    },
  },
  {
    name: 'a visitor gets a reply',
    async start() {
      const { agent } = await catalog.api.graphql(
        'mutation ($input: NewAgent!) { agent: createAgent(input: $input) { publicSlug } }',
        {
          input: { name: 'Zoe', allowedOrigins: [origin] },
        },
      );
      const { conversationId } = await send(`${url}/api/agents/${agent.publicSlug}/chat`, question('Is it open?'), { origin });
      return `inbox/conversations/${conversationId}`;
    },
    async walk(keys, page) {
      await keys.use(button(page, 'Take over'));
      await keys.write(field(page, 'Write to the visitor'), 'Hello, I am a person.');
      await keys.use(button(page, 'Send'));
      await page.getByRole('log').getByText('Hello, I am a person.').waitFor();
      await keys.hasFocus(field(page, 'Write to the visitor'));
      await keys.to(button(page, 'Hand back'), 'Shift+Tab');
      await keys.press('Enter');
      await field(page, 'Write to the visitor').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'a delivery is sent again',
    async start() {
      const { createWebhook } = await catalog.api.graphql(
        'mutation ($input: NewWebhook!) { createWebhook(input: $input) { id } }',
        {
          input: { url: 'https://hooks.example.com/jobs', eventType: ['product_enrichment.completed'] },
        },
      );
      return `webhooks/catalog/${createWebhook.id}`;
    },
    async walk(keys, page) {
      await keys.use(button(page, 'Send a test'));
      const delivery = page.getByRole('table').getByRole('button');
      await delivery.waitFor();
      await keys.use(delivery);
      await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).waitFor();
      await keys.press('Escape');
      await keys.hasFocus(delivery);
      await keys.use(button(page, 'More actions'));
      await page.getByRole('menuitem', { name: 'Replay deliveries' }).waitFor();
      await keys.press('ArrowDown', 'Enter');
      await keys.use(button(page, 'Start the replay'));
      await page.getByText(/of \d+ deliveries scheduled/).waitFor();
    },
  },
  {
    name: 'a page of a site is edited',
    async start() {
      const { api } = catalog;
      const { workspace } = await api.graphql('mutation { workspace: createWorkspace(input: { name: "W", slug: "w" }) { id } }');
      const { site } = await api.graphql(
        'mutation ($id: ID!) { site: createSite(input: { workspaceId: $id, name: "Shop", slug: "s" }) { id } }',
        { id: workspace.id },
      );
      const { page } = await api.graphql(
        'mutation ($id: ID!) { page: createPage(siteId: $id, input: { title: "About", slug: "about" }) { id } }',
        { id: site.id },
      );
      return `content/${site.id}/pages/${page.id}`;
    },
    async walk(keys, page) {
      await keys.write(field(page, 'Title'), 'About us');
      await keys.write(field(page, 'Content'), '<p>Since 1990</p>');
      await keys.use(button(page, 'Save'));
      await page.getByRole('heading', { level: 1, name: 'About us' }).waitFor();
      await keys.to(button(page, 'Publish'), 'Shift+Tab');
      await keys.press('Enter');
      await page.getByText('Published', { exact: true }).waitFor();
    },
  },
  {
    name: 'a key is created',
    start: () => 'settings',
    async walk(keys, page) {
      await keys.to(page.getByRole('tab', { name: 'Organization' }));
      await keys.press('ArrowRight', 'ArrowRight');
      await keys.hasFocus(page.getByRole('tab', { name: 'API keys' }));
      await keys.press('Enter');
      await keys.use(button(page, 'New key').first());
      await keys.hasFocus(field(page, 'Name'));
      await keys.press('Escape');
      await keys.hasFocus(button(page, 'New key').first());
      await keys.press('Enter');
      await keys.write(field(page, 'Name'), 'Import');
      await keys.press('Enter');
      await keys.to(field(page, 'API key'));
      await keys.press('Escape');
      const row = page.getByRole('row', { name: /^Import / });
      await row.waitFor();
      await keys.use(row.getByRole('button'));
      await page.getByRole('menuitem', { name: 'Revoke' }).waitFor();
      await keys.press('ArrowDown', 'ArrowDown', 'ArrowDown');
      await keys.hasFocus(page.getByRole('menuitem', { name: 'Revoke' }));
      await keys.press('Enter');
      await keys.use(page.getByRole('dialog').getByRole('button', { name: 'Revoke' }));
      await row.waitFor({ state: 'detached' });
      // The button that had the focus is gone with its row.
      await keys.hasFocus(page.locator('#content'));
      await keys.use(button(page, 'Account'));
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      await keys.press('Escape');
      await keys.hasFocus(button(page, 'Account'));
    },
  },
];

browserTest('by keyboard alone, a user signs in and skips the navigation', async () => {
  const page = await visit('/sign-in');
  const keys = keyboardOf(page);
  await keys.write(page.getByLabel('Sign-in link'), `${url}/auth/link/${await seedLink(catalog.owner.id)}`);
  await keys.press('Enter');
  await keys.hasFocus(page.getByRole('button', { name: 'Continue to the dashboard' }));
  await keys.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.getByRole('list', { name: 'First steps' }).waitFor();
  await keys.press('Tab');
  await keys.hasFocus(page.getByRole('link', { name: 'Skip to the content' }));
  await keys.press('Enter');
  await keys.hasFocus(page.locator('#content'));
  await keys.press('Tab');
  await keys.hasFocus(page.locator('#content').getByRole('link').first());
});

browserTest.each(flows)('by keyboard alone, $name', async ({ start, walk }) => {
  const page = await visit(`/o/${catalog.slug}/${await start()}`, { userId: catalog.owner.id });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await walk(keyboardOf(page), page);
});
