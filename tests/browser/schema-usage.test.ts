import { caller } from '../support/client.ts';
import { seedOperator, seedOrganization } from '../support/seed.ts';
import { readUntil } from '../support/until.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();

browserTest('an operator reads which clients use which parts of the schema, and the operations behind a part', async () => {
  const operator = await seedOperator();
  const { key, slug } = await seedOrganization();
  const client = `shop-${slug}`;
  const headers = { 'apollographql-client-name': client, 'apollographql-client-version': '2.1' };
  // A field that few other tests select, because the list names the clients with most requests.
  const query =
    'query Browse($filter: ProductFilter) { products(filter: $filter, limit: 3) { nodes { sku brandSummary { id } } } }';
  for (let at = 0; at < 5; at++)
    await caller(key).post('/graphql', { query, variables: { filter: { missingAttribute: 'color' } } }, headers);
  const counted = 'query ($client: String) { operationUsage(client: $client) { nodes { requests } } }';
  await readUntil(
    () => caller(operator.key).graphql(counted, { client }),
    ({ operationUsage }) => operationUsage.nodes[0]?.requests === 5,
  );

  const page = await visit('/schema');
  await page.getByLabel('Operator key').fill(key);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText("This needs an operator's key.").waitFor();
  await page.reload();
  await photograph(page, 'schema-key');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Operator key').fill(operator.key);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('searchbox', { name: 'Search' }).fill('Product.brandSummary');
  const row = page.getByRole('row').filter({ hasText: 'Product.brandSummary' });
  await row.getByText(client).waitFor();
  await page.getByRole('searchbox', { name: 'Search' }).fill('Product.');
  await photograph(page, 'schema-parts');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.locator('label', { hasText: 'Unused' }).click();
  await page.getByRole('row').filter({ hasText: 'Unused' }).first().waitFor();
  await page.locator('label', { hasText: /^Used$/ }).click();

  await page.getByRole('searchbox', { name: 'Search' }).fill('Product.brandSummary');
  await page.getByRole('link', { name: 'Operations with Product.brandSummary' }).click();
  await page.getByText('Only operations that use Product.brandSummary').waitFor();
  await page.getByRole('button', { name: 'Browse' }).first().waitFor();
  await photograph(page, 'schema-operations');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Browse' }).first().click();
  await page.getByRole('dialog').getByText(client).waitFor();
  await photograph(page, 'schema-operation');
  expect(await accessibilityFaults(page)).toEqual([]);
});
