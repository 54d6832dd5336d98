import { seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';
import { browserTest, dashboard, PHONE, settle } from './dashboard.ts';

const visit = dashboard();
const name = 'Wxyz0123'.repeat(16);

browserTest('names without spaces wrap on a phone, and the page does not scroll sideways', async () => {
  const catalog = await seedCatalog([{ slug: 'color', name, type: 'text' }]);
  const [product] = await catalog.addProducts([{ name, brand: name, userProvidedRawDataSources: ['n/a'] }]);
  const { job } = await catalog.enrich([product!]);
  await database().query('update identity.users set name = $2 where id = $1', [catalog.owner.id, name]);
  await database().query('update catalog.jobs set error_summary = $2 where id = $1', [job.id, name]);
  const { graphql } = catalog.api;
  const { workspace } = await graphql(
    'mutation ($name: String!) { workspace: createWorkspace(input: { name: $name, slug: "shop" }) { id } }',
    { name },
  );
  const { site } = await graphql(
    'mutation ($id: ID!, $name: String!) { site: createSite(input: { workspaceId: $id, name: $name, slug: "shop" }) { id } }',
    { id: workspace.id, name },
  );
  const { collection } = await graphql(
    `mutation ($id: ID!, $name: String!) {
       collection: createCollection(siteId: $id, input: { name: $name, slug: "news", fields: [{ name: "title", type: "text" }] }) { id }
     }`,
    { id: site.id, name },
  );
  const page = await visit(`/o/${catalog.slug}`, { userId: catalog.owner.id, viewport: PHONE });
  const wide: string[] = [];
  for (const path of [
    `products/${product}`,
    `attributes/edit/${catalog.attributeIds.color}`,
    `jobs/${job.id}`,
    'webhooks',
    'content',
    `content/${site.id}`,
    `content/${site.id}/collections/${collection.id}/items`,
  ]) {
    await page.goto(`/o/${catalog.slug}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settle(page);
    if (await page.locator('main').evaluate((main) => main.scrollWidth > main.clientWidth)) wide.push(path);
  }
  expect(wide).toEqual([]);
});

browserTest('all choices of a filter are visible on a phone in German', async () => {
  const catalog = await seedCatalog();
  const { job } = await catalog.enrich(await catalog.addColored(1));
  const page = await visit(`/o/${catalog.slug}`, { userId: catalog.owner.id, viewport: PHONE, locale: 'de-DE' });
  for (const path of ['webhooks', `jobs/${job.id}`]) {
    await page.goto(`/o/${catalog.slug}/${path}`);
    const choices = page.getByRole('main').getByRole('radiogroup');
    await choices.waitFor();
    await settle(page);
    const isInside = (group: Element) =>
      group.scrollWidth <= group.clientWidth && group.getBoundingClientRect().right <= document.documentElement.clientWidth;
    expect(await choices.evaluate(isInside)).toBe(true);
  }
});
