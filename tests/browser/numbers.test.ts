import type { Locator } from 'playwright-core';
import { seedCatalog, weight } from '../support/enrichment.ts';
import { browserTest, dashboard } from './dashboard.ts';

const visit = dashboard();

/** Types like a person, because some faults occur only between two keys. */
async function type(field: Locator, text: string): Promise<void> {
  await field.pressSequentially(text);
  expect((await field.inputValue()).replace(' kg', '')).toBe(text);
}

browserTest('a typed number keeps its decimal places as a value and as a limit of an attribute', async () => {
  const catalog = await seedCatalog([weight]);
  const [id] = await catalog.addProducts([{ name: 'Oak chair' }]);
  const page = await visit(`/o/${catalog.slug}/products/${id}`, { userId: catalog.owner.id });
  await page.getByRole('button', { name: 'Edit Weight' }).click();
  await type(page.getByRole('dialog').getByRole('textbox', { name: 'Weight' }), '10.05');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  expect((await catalog.product(id!)).attributes.weight.value).toBe(10.05);

  await page.goto(`/o/${catalog.slug}/attributes/edit/${catalog.attributeIds.weight}`);
  await type(page.getByLabel('Lowest value'), '-0.5');
  await type(page.getByLabel('Highest value'), '12.50');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const { attributes } = await catalog.api.graphql('{ attributes { constraints { min max } } }');
  expect(attributes).toEqual([{ constraints: { min: -0.5, max: 12.5 } }]);
});

browserTest('a job starts with a limit of credits that ends with a zero', async () => {
  const catalog = await seedCatalog([weight]);
  await catalog.addProducts([{ name: 'Oak chair' }]);
  const page = await visit(`/o/${catalog.slug}/jobs/new`, { userId: catalog.owner.id });
  await page.getByRole('combobox', { name: 'Products' }).click();
  await page.getByRole('option', { name: /Oak chair/ }).click();
  await page.keyboard.press('Escape');
  await type(page.getByLabel('Pause before spending more credits than'), '2.50');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Product enrichment' }).waitFor();
});

browserTest('an item of a collection keeps the decimal places of a number', async () => {
  const { slug, owner, api } = await seedCatalog();
  const { workspace } = await api.graphql('mutation { workspace: createWorkspace(input: { name: "Shop", slug: "shop" }) { id } }');
  const { site } = await api.graphql(
    'mutation ($id: ID!) { site: createSite(input: { workspaceId: $id, name: "Shop", slug: "shop" }) { id } }',
    { id: workspace.id },
  );
  const { collection } = await api.graphql(
    `mutation ($id: ID!) {
       collection: createCollection(siteId: $id, input: { name: "Prices", slug: "prices", fields: [{ name: "price", type: "number" }] }) { id }
     }`,
    { id: site.id },
  );
  const items = `/o/${slug}/content/${site.id}/collections/${collection.id}/items`;
  const page = await visit(`${items}/new`, { userId: owner.id });
  await page.getByLabel('Short name').fill('chair');
  await type(page.getByLabel('price'), '19.90');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Saved.').waitFor();
  await page.goto(page.url());
  expect(await page.getByLabel('price').inputValue()).toBe('19.9');
});
