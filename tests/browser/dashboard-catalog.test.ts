import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';

const visit = dashboard();

const hostile = '<img src=x onerror="document.title=1"> [a](javascript:alert(1)) =1+1';

browserTest('the list of products searches, sorts and filters, and renders only visible rows of a long list', async () => {
  const catalog = await seedCatalog();
  const names = Array.from({ length: 260 }, (_, at) => `Lamp ${String(at).padStart(3, '0')}`);
  await catalog.addProducts([
    ...names.map((name, at) => ({ name, sku: `L-${at}`, brand: at < 5 ? 'Norrvik' : 'Other' })),
    { name: hostile },
  ]);
  const page = await visit(`/o/${catalog.slug}/products?by=name&order=asc`, { userId: catalog.owner.id });
  await page.getByText('261 products').waitFor();
  await page.getByRole('link', { name: hostile }).waitFor();
  const table = page.getByRole('table', { name: 'Products' });
  expect(await table.getAttribute('aria-rowcount')).toBe('262');
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  await page.getByRole('region', { name: 'Products' }).focus();
  await page.keyboard.press('End');
  await page.getByRole('link', { name: 'Lamp 259' }).waitFor();

  await page.getByLabel('Search by name or SKU').fill('lamp 25');
  await page.getByText('10 products').waitFor();
  await page.getByRole('button', { name: 'Name' }).click();
  await page.getByRole('row').nth(1).getByRole('link', { name: 'Lamp 259' }).waitFor();
  await page.getByRole('link', { name: 'Lamp 250' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lamp 250' }).waitFor();
  await page.goBack();
  await page.getByText('10 products').waitFor();

  await page.getByLabel('Search by name or SKU').fill('');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Brand').fill('norrvik');
  await page.getByText('5 products').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()]);
  const lines = (await createReadStream((await download.path())!).toArray()).join('').trim().split('\n');
  expect(lines).toHaveLength(6);
});

browserTest('a product shows its values with their origins and its history, and values are edited by keyboard', async () => {
  const catalog = await seedCatalog([color, weight]);
  const [id] = await catalog.addProducts([{ name: 'Oak chair', userProvidedRawDataSources: ['Color: red\nWeight: 4 kg'] }]);
  await catalog.enrich([id!]);
  const page = await visit(`/o/${catalog.slug}/products/${id}`, { userId: catalog.owner.id });
  const row = page.getByRole('row', { name: /^Color/ });
  await row.getByText('Color: red').waitFor();
  await row.getByText('Not reviewed').waitFor();
  await row.getByRole('button', { name: 'Edit Color' }).press('Enter');
  const field = page.getByRole('dialog').getByLabel('Color');
  await field.fill(hostile);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  await row.getByText(hostile).waitFor();
  expect((await catalog.product(id!)).attributes.color.value).toBe(hostile);
  await page.getByRole('tab', { name: 'Enrichments' }).click();
  await page.getByRole('button', { name: /2 values/ }).click();
  await page.getByText('red', { exact: true }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

browserTest(
  'a job that samples first is started for chosen products, pauses, is continued, and its failures are retried',
  async () => {
    const catalog = await seedCatalog();
    await catalog.addColored(2);
    await catalog.addProducts([{ name: 'Broken', userProvidedRawDataSources: ['n/a'] }]);
    const page = await visit(`/o/${catalog.slug}/products?by=createdAt&order=asc`, { userId: catalog.owner.id });
    await page.getByLabel('Select all loaded rows').check();
    await page.getByRole('button', { name: 'Start a job with 3' }).click();
    await page.getByText('3 items cost at most 3 of your 100,000 credits.').waitFor();
    await page.getByLabel('Also search the web').uncheck();
    await page.getByLabel('Pause after this number of items').fill('1');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start', exact: true }).click();

    await page.getByText('The job has reached its limit and waits.').waitFor({ timeout: 60_000 });
    await page.getByText('1 of 3').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Completed with errors').waitFor({ timeout: 60_000 });
    await page.getByText('3 of 3').waitFor();
    await page.locator('label').getByText('Failed', { exact: true }).click();
    await page.getByRole('button', { name: 'Broken' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Broken' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const first = page.url();
    await page.getByRole('button', { name: 'Retry failed items' }).click();
    await page.waitForURL((url) => !first.startsWith(`${url.origin}${url.pathname}`));
    await page.getByText('Completed with errors').waitFor({ timeout: 60_000 });
    await page.getByText('1 of 1').waitFor();
  },
);

browserTest('a running job is stopped after a confirmation, and its page follows', async () => {
  const catalog = await seedCatalog();
  const gate = randomUUID();
  const jobId = await catalog.start(await catalog.addColored(60, `[[provider: gate 1 ${gate}]]`));
  const page = await visit(`/o/${catalog.slug}/jobs/${jobId}`, { userId: catalog.owner.id });
  await page.getByText('1 of 60').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Stop' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Stop' }).click();
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  await page.getByText('Stopped', { exact: true }).waitFor({ timeout: 60_000 });
});

browserTest('brands are enriched by name, and the result is compared with its repetition', async () => {
  const catalog = await seedCatalog([{ ...color, subject: 'brand' }]);
  const page = await visit(`/o/${catalog.slug}/jobs/new?kind=brand-enrichment`, { userId: catalog.owner.id });
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Enter at least one name.').waitFor();
  await page.getByLabel('Names').fill('Norrvik\nTorvik\n\nNorrvik');
  await page.getByText('2 items cost at most').waitFor();
  await page.getByLabel('Also search the web').uncheck();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Repeat' }).click({ timeout: 60_000 });
  await page.getByRole('menuitem', { name: 'Budget model' }).click();
  await page.getByRole('link', { name: 'Compare both' }).click();
  await page.getByRole('heading', { level: 1, name: 'Comparison' }).waitFor();
  await page
    .getByText(/No differences|First job/)
    .first()
    .waitFor();
});

browserTest('values are reviewed by keyboard alone, and the rest above a confidence at once', async () => {
  const catalog = await seedCatalog([color, weight]);
  const products = await catalog.addProducts(
    Array.from({ length: 4 }, (_, at) => ({ name: `Chair ${at}`, userProvidedRawDataSources: ['Color: red\nWeight: 4 kg'] })),
  );
  await catalog.enrich(products);
  const page = await visit(`/o/${catalog.slug}/review`, { userId: catalog.owner.id });
  await page.getByText('8 open').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const chosen = page.getByRole('region', { name: 'Values to review' }).locator('[aria-current]');
  const first = await chosen.textContent();
  await page.keyboard.press('j');
  expect(await chosen.textContent()).not.toBe(first);
  await page.keyboard.press('k');
  expect(await chosen.textContent()).toBe(first);
  await page.keyboard.press('a');
  await page.keyboard.press('r');
  await page.waitForFunction(() => document.querySelectorAll('[role=region] button').length === 6);
  await page.keyboard.press('e');
  const editor = page.locator('form').locator('input:visible, textarea:visible').first();
  await editor.press('Control+A');
  const isNumber = (await editor.inputValue()).includes('kg');
  await editor.fill(isNumber ? '5' : 'blue');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForFunction(() => document.querySelectorAll('[role=region] button').length === 5);

  await page.getByRole('button', { name: 'Accept many' }).click();
  await page.getByRole('slider').press('Home');
  await page.getByText('5 values match.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Accept all' }).click();
  await page.getByText('Nothing to review').waitFor();
  const { reviewQueue } = await catalog.api.graphql('{ reviewQueue { pagination { total } } }');
  expect(reviewQueue.pagination.total).toBe(0);
});

browserTest('two tabs follow the same job, and the start page names what needs a decision', async () => {
  const catalog = await seedCatalog();
  const products = await catalog.addColored(3);
  const page = await visit(`/o/${catalog.slug}`, { userId: catalog.owner.id });
  await page.getByText('No jobs yet').waitFor();
  const other = await page.context().newPage();
  await other.goto(`/o/${catalog.slug}/jobs`);
  await other.getByText('No jobs', { exact: true }).waitFor();
  await catalog.enrich(products);
  for (const tab of [page, other]) await tab.getByRole('link', { name: 'Product enrichment' }).waitFor();
  await page.getByRole('link', { name: /Values to review/ }).click();
  await page.getByText('3 open').waitFor();
});

browserTest.each(['', 'products', 'jobs', 'jobs/new', 'review'])(
  'the page /%s is accessible on a phone in the dark',
  async (path) => {
    const catalog = await seedCatalog();
    await catalog.addColored(2);
    const page = await visit(`/o/${catalog.slug}/${path}`, { userId: catalog.owner.id, viewport: PHONE, colorScheme: 'dark' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  },
);
