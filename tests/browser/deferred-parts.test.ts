import type { Locator } from 'playwright-core';
import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';
import { browserTest, dashboard } from './dashboard.ts';
import { holdParts } from './held-parts.ts';

const visit = dashboard();

const topOf = async (element: Locator) => (await element.boundingBox())!.y;

browserTest('a product shows its name and tabs before its values, which take the place that was kept for them', async () => {
  const catalog = await seedCatalog([color, weight]);
  const [id] = await catalog.addProducts([{ name: 'Oak chair', userProvidedRawDataSources: ['Color: red\nWeight: 4 kg'] }]);
  await catalog.enrich([id!]);
  const page = await visit('about:blank', { userId: catalog.owner.id });
  const parts = await holdParts(page, 'query ProductPage');
  await page.goto(`/o/${catalog.slug}/products/${id}`);
  await page.getByRole('heading', { level: 1, name: 'Oak chair' }).waitFor();
  const tabs = page.getByRole('tablist');
  await page.getByRole('tabpanel').getByRole('status', { name: 'Loading' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(0);
  const top = await topOf(tabs);

  await parts.release();
  await page
    .getByRole('row', { name: /^Color/ })
    .getByText('Color: red')
    .waitFor();
  await page.getByText('Complete: 100%').waitFor();
  expect(await topOf(tabs)).toBe(top);

  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByLabel('Brand').fill('Norrvik');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('tab', { name: 'Values' }).click();
  await page.getByRole('row', { name: /^Color/ }).waitFor();
});

browserTest('values that cannot be read leave the rest of the product in place, and are read again', async () => {
  const catalog = await seedCatalog([color]);
  const [id] = await catalog.addProducts([{ name: 'Oak chair' }]);
  const page = await visit('about:blank', { userId: catalog.owner.id });
  const parts = await holdParts(page, 'query ProductPage');
  await page.goto(`/o/${catalog.slug}/products/${id}`);
  await page.getByRole('tabpanel').getByRole('status', { name: 'Loading' }).waitFor();
  await parts.fail();
  const panel = page.getByRole('tabpanel');
  await panel.getByText('This could not be loaded').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Oak chair' }).waitFor();
  await panel.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('row', { name: /^Color/ }).waitFor();
});

browserTest('the start page shows the course of the completeness before its figures, without a jump', async () => {
  const catalog = await seedCatalog([color]);
  await catalog.addColored(2);
  await database().query(
    `insert into catalog.completeness_days (organization_id, day, products, filled, expected, filled_required, expected_required)
     select $1, (now() at time zone 'UTC')::date - n, 2, 1, 2, 0, 0 from generate_series(1, 3) n`,
    [catalog.id],
  );
  const page = await visit('about:blank', { userId: catalog.owner.id });
  const parts = await holdParts(page, 'query CatalogCompleteness');
  await page.goto(`/o/${catalog.slug}`);
  const section = page.getByRole('region', { name: 'Completeness' });
  await section.getByRole('status', { name: 'Loading' }).waitFor();
  const height = (await section.boundingBox())!.height;
  expect(await section.getByRole('list', { name: 'The last 14 days' }).count()).toBe(1);

  await parts.release();
  await section.getByText('Expected values that exist').waitFor();
  expect((await section.boundingBox())!.height).toBe(height);
});
