import { seedCatalog } from '../support/enrichment.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();

/** Products of some brands and of a tree of categories. */
async function seedNames() {
  const catalog = await seedCatalog([]);
  await catalog.addProducts([
    { name: 'Oak chair', brand: 'Bosch GmbH', category: 'Furniture > Chairs' },
    { name: 'Bar stool', brand: 'Bosch', category: 'Furniture > Chairs > Stools' },
    { name: 'Desk lamp', brand: 'Lumen', category: 'Lamps' },
  ]);
  const attribute =
    'mutation ($subject: AttributeSubject!) { createAttribute(input: { subject: $subject, name: "Story", slug: "story", type: text }) { id } }';
  for (const subject of ['brand', 'category']) await catalog.api.graphql(attribute, { subject });
  return catalog;
}

browserTest('a brand is created, renamed, given a value, merged and deleted', async () => {
  const catalog = await seedNames();
  const page = await visit(`/o/${catalog.slug}/brands`, { userId: catalog.owner.id });
  await page.getByText('3 brands').waitFor();
  await page.getByRole('button', { name: 'New brand' }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Empty');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('4 brands').waitFor();
  await photograph(page, 'brands');
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByRole('button', { name: 'Actions for Lumen' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Lumen Light');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('link', { name: 'Lumen Light' }).click();

  await page.getByRole('heading', { name: 'Lumen Light', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Edit Story' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Story' }).fill('Light since 1920.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Entered by hand').waitFor();
  await photograph(page, 'brand');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Products' }).click();
  await page.getByRole('link', { name: 'Desk lamp' }).waitFor();
  await page.getByRole('tab', { name: 'Enrichments' }).click();
  await page.getByText('The first enrichment adds an entry.').waitFor();

  await page.goto(`/o/${catalog.slug}/brands`);
  await page.getByRole('button', { name: 'Actions for Bosch GmbH' }).click();
  await page.getByRole('menuitem', { name: 'Merge' }).click();
  await page.getByRole('combobox', { name: 'Into the brand' }).fill('Bosch');
  await page.getByRole('option', { name: 'Bosch', exact: true }).click();
  await page.getByText('1 product changes').waitFor();
  await photograph(page, 'merge-brands');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click();
  await page.getByText('Merged into Bosch.').waitFor();
  await page.getByText('3 brands').waitFor();
  await page.getByRole('button', { name: 'Actions for Empty' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 brands').waitFor();
  const { products } = await catalog.api.graphql('{ products(sortBy: name, sortOrder: asc) { nodes { name brand } } }');
  expect(products.nodes).toEqual([
    { name: 'Bar stool', brand: 'Bosch' },
    { name: 'Desk lamp', brand: 'Lumen Light' },
    { name: 'Oak chair', brand: 'Bosch' },
  ]);
});

browserTest('selected brands are named in a new job', async () => {
  const catalog = await seedNames();
  const page = await visit(`/o/${catalog.slug}/brands`, { userId: catalog.owner.id });
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check();
  await page.getByRole('button', { name: 'Enrich 3' }).click();
  await page.getByRole('heading', { name: 'New job' }).waitFor();
  const names = page.getByRole('textbox', { name: 'Names' });
  expect((await names.inputValue()).split('\n')).toEqual(['Bosch', 'Bosch GmbH', 'Lumen']);
});

browserTest('a category leads to those above and below it, and a rename takes them along', async () => {
  const catalog = await seedNames();
  const page = await visit(`/o/${catalog.slug}/categories?show=top`, { userId: catalog.owner.id });
  await page.getByText('2 categories').waitFor();
  await photograph(page, 'categories');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Furniture' }).click();
  await page.getByText('2 products').waitFor();
  await page.getByRole('tab', { name: 'Below' }).click();
  await page.getByRole('link', { name: 'Chairs' }).click();
  await page.getByRole('heading', { name: 'Furniture > Chairs' }).waitFor();
  await page.getByRole('tab', { name: 'Attribute set' }).click();
  await page.getByText('Products need the attributes of').waitFor();
  await photograph(page, 'category');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Furniture' }).click();
  await page.getByRole('heading', { name: 'Furniture', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Actions for Furniture' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Home > Furniture');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Home > Furniture' }).waitFor();
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Home' }).waitFor();
  const { products } = await catalog.api.graphql('{ products(sortBy: name, sortOrder: asc) { nodes { category } } }');
  expect(products.nodes.map(({ category }: { category: string }) => category)).toEqual([
    'Home > Furniture > Chairs > Stools',
    'Lamps',
    'Home > Furniture > Chairs',
  ]);
});

browserTest('brands and categories fit a phone, in German and in the dark', async () => {
  const catalog = await seedNames();
  const long = 'Werkzeug > Elektrowerkzeug > Bohrmaschinen und Akkuschrauber mit sehr langem Namen';
  await catalog.addProducts([{ name: 'Bohrer', brand: 'Donaudampfschifffahrtsgesellschaft', category: long }]);
  const options = { userId: catalog.owner.id, viewport: PHONE, colorScheme: 'dark', locale: 'de-DE' } as const;
  const page = await visit(`/o/${catalog.slug}/categories`, options);
  await page.getByRole('heading', { name: 'Kategorien' }).waitFor();
  await page.getByRole('link', { name: long }).waitFor();
  await photograph(page, 'categories-phone');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: long }).click();
  await page.getByRole('tab', { name: 'Unterkategorien' }).click();
  await page.getByText('Keine Unterkategorien').waitFor();
  await page.getByRole('tab', { name: 'Werte' }).click();
  await page.getByRole('button', { name: /bearbeiten/ }).waitFor();
  await photograph(page, 'category-phone');
  expect(await accessibilityFaults(page)).toEqual([]);
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  expect(isWide).toBe(false);
});
