import { publishSchema } from 'compiled-gateway/publication';
import { registryIn } from 'compiled-gateway/registry';
import { parse } from 'graphql';
import { compose, link } from '../gateway/support/federation.ts';
import { caller } from '../support/client.ts';
import { database, seedOperator, seedOrganization } from '../support/seed.ts';
import { readUntil } from '../support/until.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();

browserTest('an operator reads which clients use which parts of the schema, and the operations behind a part', async () => {
  const operator = await seedOperator();
  const { key, slug } = await seedOrganization();
  const client = `<img src=x onerror=alert(1)> shop-${slug}`;
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

browserTest('an operator sees who published which version, its check, and what two versions differ in', async () => {
  const operator = await seedOperator();
  const registry = registryIn(database());
  const author = `<img src=x onerror=alert(1)> ${operator.id.slice(0, 8)}`;
  const sdl = `${link} type Query { product(id: ID!): Product } type Product @key(fields: "id") { id: ID! name: String old: String }`;
  const publish = (text: string) =>
    publishSchema(
      registry,
      { supergraph: compose([{ name: 'shop', url: 'http://shop.example/', typeDefs: parse(text) }]) },
      { author, days: 1, acceptBreaking: true },
    );
  const first = (await publish(`${sdl} type Bundle { id: ID! }`)).version!;
  await publish(sdl.replace('old: String', 'price(in: Currency): Float').concat(' enum Currency { EUR }'));

  const page = await visit('/schema?view=history');
  await page.getByLabel('Operator key').fill(operator.key);
  await page.getByRole('button', { name: 'Open' }).click();
  const row = page.getByRole('row').filter({ hasText: author });
  await row
    .filter({ hasText: `Version ${first + 1}` })
    .getByText(/Safe|Breaks operations/)
    .waitFor();
  await photograph(page, 'schema-history');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: `Version ${first + 1}`, exact: true }).click();
  await page.getByRole('dialog').getByText('Schema check').waitFor();
  await photograph(page, 'schema-version');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Compare' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Product.old is removed').waitFor();
  await dialog.getByText('Product.price is added').waitFor();
  await dialog.getByText('The type Currency is added').waitFor();
  await dialog.getByText('- old: String').waitFor();
  await photograph(page, 'schema-differences');
  expect(await accessibilityFaults(page)).toEqual([]);

  const german = await visit('/schema?view=history', { locale: 'de-DE' });
  await german.getByLabel('Betreiberschlüssel').fill(operator.key);
  await german.getByRole('button', { name: 'Öffnen' }).click();
  await german.getByRole('tab', { name: 'Verlauf' }).waitFor();
  await german.getByRole('button', { name: 'Vergleichen' }).click();
  await german.getByRole('dialog').getByText('Kann brechen').first().waitFor();
});
