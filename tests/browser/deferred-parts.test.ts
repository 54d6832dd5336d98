import { color, seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';
import { browserTest, dashboard } from './dashboard.ts';
import { holdParts } from './held-parts.ts';

const visit = dashboard();

/** The start page of an organization whose figures of completeness are held. */
async function openHeld() {
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
  return { parts, section };
}

browserTest('the start page shows the course of the completeness before its figures, without a jump', async () => {
  const { parts, section } = await openHeld();
  const height = (await section.boundingBox())!.height;
  expect(await section.getByRole('list', { name: 'The last 14 days' }).count()).toBe(1);

  await parts.release();
  await section.getByText('Expected values that exist').waitFor();
  expect((await section.boundingBox())!.height).toBe(height);
});

browserTest('figures that cannot be read leave the rest of the page in place, and are read again', async () => {
  const { parts, section } = await openHeld();
  await parts.fail();
  await section.getByText('This could not be loaded').waitFor();
  expect(await section.getByRole('list', { name: 'The last 14 days' }).count()).toBe(1);
  await section.getByRole('button', { name: 'Try again' }).click();
  await section.getByText('Expected values that exist').waitFor();
});
