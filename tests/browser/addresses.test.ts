import type { Page } from 'playwright-core';
import { seedCatalog } from '../support/enrichment.ts';
import { sendFiles } from '../support/form.ts';
import { seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { csv } from '../uploads/files.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';
import { runs } from './held-answer.ts';

const visit = dashboard();

browserTest('a search field follows the address when the navigation opens its page again', async () => {
  const catalog = await seedCatalog();
  await catalog.addProducts([{ name: 'Oak chair' }, { name: 'Desk lamp' }]);
  const page = await visit(`/o/${catalog.slug}/products?search=oak`, { userId: catalog.owner.id });
  await page.getByText('1 product', { exact: true }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Products' }).click();
  await page.getByText('2 products').waitFor();
  const search = page.getByLabel('Search by name or SKU');
  expect(await search.inputValue()).toBe('');
  await search.pressSequentially('lamp');
  await page.getByText('1 product', { exact: true }).waitFor();
  expect(await search.inputValue()).toBe('lamp');
});

browserTest.each(['jobs/new', 'imports/new', 'attributes/edit/new', 'attributes/sets/new'])(
  'the cancel button of %s leads to its list in a tab that began there',
  async (path) => {
    const catalog = await seedCatalog();
    const page = await visit(`/o/${catalog.slug}/${path}`, { userId: catalog.owner.id });
    await page.getByRole('button', { name: 'Cancel' }).click();
    const list = path.replace('edit/', '').replace(/\/new$/, '');
    await until(() => new URL(page.url()).pathname === `/o/${catalog.slug}/${list}`);
  },
);

browserTest('the cancel button of a form leads back to the page before it', async () => {
  const catalog = await seedCatalog();
  const page = await visit(`/o/${catalog.slug}`, { userId: catalog.owner.id });
  await page.getByRole('link', { name: 'Start a job' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});

browserTest('a dialog with text asks before the back button leaves its page', async () => {
  const catalog = await seedCatalog();
  const page = await visit(`/o/${catalog.slug}`, { userId: catalog.owner.id });
  await page.getByRole('navigation').getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('button', { name: 'New agent' }).first().click();
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
  await name.fill('Zoe');
  await page.evaluate(() => history.back());
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await name.inputValue()).toBe('Zoe');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Zoe' }).waitFor();
});

browserTest.each([
  ['en-US', 'This does not exist', 'Go to the start page'],
  ['de-DE', 'Das gibt es nicht', 'Zur Startseite'],
])('an address without a page has a title and a way out in the language %s', async (locale, title, home) => {
  const [{ slug, owner }, foreign] = [await seedOrganization(), await seedOrganization()];
  const page = await visit('about:blank', { userId: owner.id, locale });
  for (const path of [
    '/o/nobody',
    `/o/${foreign.slug}/products`,
    '/nothing/here',
    `/o/${slug}/nothing`,
    `/o/${slug}/attributes/nothing`,
  ]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await page.title()).toBe(title);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: home }).click();
    await page.waitForURL(`**/o/${slug}`);
  }
});

const answers: [string, string, (page: Page) => Promise<unknown>][] = [
  ['a missing permission', 'You have no access to this', (page) => refuse(page, 403, 'FORBIDDEN')],
  ['too many requests', 'The server is busy', (page) => refuse(page, 429, 'RATE_LIMITED')],
  ['a fault of the server', 'This could not be loaded', (page) => refuse(page, 200, 'INTERNAL_SERVER_ERROR')],
  ['a lost network', 'The server cannot be reached', (page) => page.route('/graphql', (route) => route.abort())],
];
const refuse = (page: Page, status: number, code: string) =>
  page.route('/graphql', (route) =>
    runs('query ProductPage')(route.request())
      ? route.fulfill({ status, json: { data: null, errors: [{ message: 'No.', extensions: { code } }] } })
      : route.fallback(),
  );

browserTest.each(answers)('the heading of a page that does not load names %s', async (_, title, answer) => {
  const catalog = await seedCatalog();
  const [productId] = await catalog.addProducts([{ name: 'Oak chair' }]);
  const page = await visit(`/o/${catalog.slug}`, { userId: catalog.owner.id });
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await answer(page);
  await page.evaluate((path) => history.pushState(null, '', path), `/o/${catalog.slug}/products/${productId}`);
  await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  expect(await page.title()).toBe(title);
  await page.unrouteAll();
});

browserTest('an address of an import with the id of another job leads to that job', async () => {
  const catalog = await seedCatalog();
  const jobId = await catalog.start(await catalog.addColored(1));
  const page = await visit(`/o/${catalog.slug}/imports/${jobId}`, { userId: catalog.owner.id });
  await page.getByRole('heading', { level: 1, name: 'Product enrichment' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/o/${catalog.slug}/jobs/${jobId}`);
});

browserTest('unknown choices in an address are ignored', async () => {
  const catalog = await seedCatalog();
  const jobId = await catalog.start(await catalog.addColored(1));
  const { body } = await sendFiles(catalog, '/ai-import-jobs/create', [csv('SKU,Name\nS-1,Kettle')], {
    fields: { modelType: 'budget-v1' },
  });
  const page = await visit('about:blank', { userId: catalog.owner.id });
  const shows: [string, () => Promise<unknown>][] = [
    [`jobs/${jobId}?items=bogus`, () => page.getByRole('row').nth(1).waitFor()],
    ['jobs?kind=bogus&status=constructor', () => page.getByRole('link', { name: 'Product enrichment' }).waitFor()],
    [
      'products?by=bogus&order=bogus&enriched=bogus&family=bogus&below=500',
      () => page.getByText('1 product', { exact: true }).waitFor(),
    ],
    [`imports/${body.data.jobId}?by=bogus&order=bogus`, () => page.getByText('Kettle').waitFor()],
    ['review/confidence?tier=bogus', () => page.getByRole('link', { name: 'Review' }).last().waitFor()],
    ['attributes/edit/new?subject=bogus', () => page.getByRole('textbox', { name: 'Name' }).waitFor()],
    ['attributes/sets/new?subject=bogus', () => page.getByRole('textbox', { name: 'Name' }).waitFor()],
    ['jobs/new?kind=bogus', () => page.getByText('Fills in attributes of products from their sources.').waitFor()],
  ];
  for (const [path, isShown] of shows) {
    await page.goto(`/o/${catalog.slug}/${path}`);
    await isShown();
    expect([path, await page.getByText('This could not be loaded').count()]).toEqual([path, 0]);
  }
});
