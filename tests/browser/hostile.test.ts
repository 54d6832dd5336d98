import { color, seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';
import { browserTest, dashboard } from './dashboard.ts';

const visit = dashboard();
const markup = '<img src=x onerror="document.title=1"><b>bold</b>';
const link = 'javascript:document.title=1';

browserTest('markup and script addresses of sources stay text in the list, on the product and in the review', async () => {
  const catalog = await seedCatalog([{ ...color, name: markup }]);
  const [id] = await catalog.addProducts([
    { name: markup, sku: `${markup}-1`, brand: markup, userProvidedRawDataSources: [`${markup}: red`, 'Color: red'] },
  ]);
  await catalog.enrich([id!]);
  const origin = { sourceUrl: link, snippet: markup, sourceKind: 'website' };
  for (const table of ['products', 'job_items'])
    await database().query(
      `update catalog.${table} set provenance = jsonb_set(provenance, '{color}', provenance -> 'color' || $2::jsonb)
        where organization_id = $1`,
      [catalog.id, JSON.stringify(origin)],
    );
  for (const [path, texts] of [
    ['products', [markup]],
    [`products/${id}`, [markup, link]],
    ['review', [markup, link]],
  ] as const) {
    const page = await visit(`/o/${catalog.slug}/${path}`, { userId: catalog.owner.id });
    for (const text of texts) await page.getByText(text, { exact: false }).first().waitFor();
    expect(await page.locator('img[src="x"], a[href^="javascript:" i], #content b').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
  }
});
