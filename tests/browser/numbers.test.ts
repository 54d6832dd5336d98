import type { Locator } from 'playwright-core';
import { seedCatalog, weight } from '../support/enrichment.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';

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

browserTest('the wanted precision is chosen for the organization, a set, an attribute and a job', async () => {
  const catalog = await seedCatalog([weight]);
  await catalog.addProducts([{ name: 'Oak chair' }]);
  const of = (path: string) => `/o/${catalog.slug}/${path}`;
  const page = await visit(of('review/confidence'), { userId: catalog.owner.id });
  async function choose(label: string, percent: string) {
    await page.getByLabel(label, { exact: true }).fill(percent);
    await page.getByRole('button', { name: /^Apply/ }).click();
    await page.getByText('Saved.').waitFor();
  }
  await choose('Default of the organization', '97.5');
  await page.getByText('Later jobs accept at 97.5%. People review 5% of these values all the same.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const create = 'mutation ($ids: [ID!]!) { createAttributeSet(name: "Furniture", subject: product, attributeIds: $ids) { id } }';
  const { createAttributeSet: set } = await catalog.api.graphql(create, { ids: [catalog.attributeIds.weight] });
  await page.goto(of(`attributes/sets/${set.id}`));
  await choose('Wanted share of right values', '90');
  await page.goto(of(`attributes/edit/${catalog.attributeIds.weight}`));
  await choose('Wanted share of right values', '98.5');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto(of('jobs/new'));
  await page.getByRole('combobox', { name: 'Products' }).click();
  await page.getByRole('option', { name: /Oak chair/ }).click();
  await page.keyboard.press('Escape');
  await page.getByLabel('Accept values without a person if this share is right').fill('99');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Product enrichment' }).waitFor();
  const { acceptanceDefaults, attributes, attributeSets, jobs } = await catalog.api.graphql(
    '{ acceptanceDefaults { precision auditShare } attributes { autoAccept } attributeSets { autoAccept } jobs { nodes { autoAccept } } }',
  );
  expect({ acceptanceDefaults, attributes, attributeSets, jobs: jobs.nodes }).toEqual({
    acceptanceDefaults: { precision: 0.975, auditShare: 0.05 },
    attributes: [{ autoAccept: 0.985 }],
    attributeSets: [{ autoAccept: 0.9 }],
    jobs: [{ autoAccept: 0.99 }],
  });
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
