import { seedCatalog } from '../support/enrichment.ts';
import { until } from '../support/until.ts';
import { browserTest, dashboard } from './dashboard.ts';

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
  await page.getByRole('dialog').getByRole('button', { name: 'New agent' }).click();
  await page.getByRole('heading', { level: 1, name: 'Zoe' }).waitFor();
});
