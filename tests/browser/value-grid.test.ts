import type { Page } from 'playwright-core';
import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();

const text = (value: string) => ({ attributeType: 'text', value });
const number = (value: number) => ({ attributeType: 'number', value });
const size = { slug: 'size', name: 'Size', type: 'select', options: ['Small', 'Medium', 'Large'] };
const tags = { slug: 'tags', name: 'Tags', type: 'multiselect', options: ['new', 'sale'] };
const waterproof = { slug: 'waterproof', name: 'Waterproof', type: 'boolean' };
const COLUMNS = 'columns=sku,@color,@weight,@size,@tags,@waterproof&mode=edit&by=name&order=asc';

async function seed() {
  const catalog = await seedCatalog([color, { ...weight, constraints: { max: 10 } }, size, tags, waterproof]);
  const ids = await catalog.addProducts([
    { name: 'Bench', sku: 'B', attributes: { color: text('red'), weight: number(4) } },
    { name: 'Chair', sku: 'C', attributes: { color: text('blue') } },
    { name: 'Desk', sku: 'D' },
  ]);
  const valuesOf = async (id: string) => {
    const { attributes } = await catalog.product(id);
    return Object.fromEntries(
      Object.entries(attributes as Record<string, { value: unknown }>).map(([slug, { value }]) => [slug, value]),
    );
  };
  return { ...catalog, ids: ids as [string, string, string], valuesOf };
}

const cell = (page: Page, row: number, column: number) => page.locator(`#cell-${row}-${column}`);
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
/** Waits until no cell is being saved. */
const isSaved = async (page: Page) => {
  await page.locator('td[aria-busy=true]').first().waitFor({ state: 'detached' });
};

browserTest('values are edited in place by keyboard alone, by type, and are undone', async () => {
  const catalog = await seed();
  const [bench, chair] = catalog.ids;
  const page = await visit(`/o/${catalog.slug}/products?${COLUMNS}`, { userId: catalog.owner.id });
  const grid = page.getByRole('grid', { name: 'Products' });
  await cell(page, 0, 2).getByText('red').waitFor();
  await grid.focus();
  expect(await accessibilityFaults(page)).toEqual([]);
  // Text: a typed letter replaces the value, Tab saves and goes on.
  await press(page, 'ArrowRight');
  await page.keyboard.type('green');
  await press(page, 'Tab');
  await cell(page, 0, 2).getByText('green').waitFor();
  // Number: Enter edits the value and goes down.
  await press(page, 'F2', 'Backspace');
  await page.keyboard.type('6.5');
  await press(page, 'Enter');
  await cell(page, 0, 3).getByText('6.5 kg').waitFor();
  expect(await grid.getAttribute('aria-activedescendant')).toBe('cell-1-3');
  // Choice, several and yes or no.
  await press(page, 'ArrowRight', 'Enter');
  await page.getByRole('option', { name: 'Medium' }).waitFor();
  await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
  await cell(page, 1, 4).getByText('Medium').waitFor();
  await press(page, 'ArrowRight', 'Enter');
  await page.getByRole('option', { name: 'sale' }).waitFor();
  await press(page, 'ArrowDown', 'Enter', 'Tab');
  await cell(page, 1, 5).getByText('new').waitFor();
  await press(page, ' ');
  await cell(page, 1, 6).getByText('Yes').waitFor();
  // Escape gives an edit up.
  await press(page, 'Home', 'ArrowRight', 'ArrowRight');
  await page.keyboard.type('nothing');
  await press(page, 'Escape');
  await cell(page, 1, 2).getByText('blue').waitFor();
  await isSaved(page);
  expect(await catalog.valuesOf(bench)).toEqual({ color: 'green', weight: 6.5 });
  expect(await catalog.valuesOf(chair)).toEqual({ color: 'blue', size: 'Medium', tags: ['new'], waterproof: true });
  await press(page, 'Control+z');
  await cell(page, 1, 6).getByText('Yes').waitFor({ state: 'detached' });
  await press(page, 'Control+y');
  await cell(page, 1, 6).getByText('Yes').waitFor();
  await press(page, 'Escape', 'Enter');
  await page.getByRole('table', { name: 'Products' }).waitFor();
  // Without columns of attributes, the reader chooses some first.
  await page.goto(`/o/${catalog.slug}/products`);
  await page.getByRole('button', { name: 'Edit values' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByText('Add the columns of attributes that you want to edit.').waitFor();
  await dialog.getByRole('combobox', { name: 'Add a column' }).fill('Color');
  await page.getByRole('option', { name: 'Color' }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await cell(page, 0, 7).getByText('green').waitFor();
  expect(await grid.getAttribute('aria-colcount')).toBe('8');
});

browserTest('fields are edited in place with suggestions and undone, and refusals and conflicts are shown', async () => {
  const catalog = await seed();
  const [bench] = catalog.ids;
  await catalog.addProducts([{ name: 'Shelf', sku: 'S', brand: 'Norrvik' }]);
  const page = await visit(`/o/${catalog.slug}/products?columns=sku,brand,category&mode=edit&by=name&order=asc`, {
    userId: catalog.owner.id,
  });
  const grid = page.getByRole('grid', { name: 'Products' });
  await cell(page, 3, 2).getByText('Norrvik').waitFor();
  await grid.focus();
  await press(page, 'ArrowRight');
  await page.keyboard.type('norr');
  await page.getByRole('option', { name: 'Norrvik' }).waitFor();
  await press(page, 'ArrowDown', 'Enter');
  await page.getByRole('option', { name: 'Norrvik' }).waitFor({ state: 'detached' });
  expect(await accessibilityFaults(page)).toEqual([]);
  await press(page, 'Enter');
  await cell(page, 0, 2).getByText('Norrvik').waitFor();
  await isSaved(page);
  await press(page, 'ArrowUp', 'ArrowLeft');
  await page.keyboard.type('B-9');
  await press(page, 'Enter');
  await page.keyboard.type('B-9');
  await press(page, 'Enter', 'ArrowUp');
  await cell(page, 1, 1).getByText('Not saved. Another product has this sku: B-9').waitFor();
  expect(await catalog.product(bench, 'sku brand')).toMatchObject({ sku: 'B-9', brand: 'Norrvik' });

  await catalog.api.graphql('mutation ($id: ID!) { updateProduct(id: $id, input: { brand: "Acme" }) { id } }', { id: bench });
  await press(page, 'ArrowUp', 'ArrowRight');
  await page.keyboard.type('Other');
  await press(page, 'Enter', 'ArrowUp');
  await cell(page, 0, 2).getByText('Somebody changed the value meanwhile: Acme. Yours: Other.').waitFor();
  await press(page, 'ArrowLeft', 'ArrowLeft', 'Delete', 'F2');
  await page.keyboard.type(' XL');
  await press(page, 'Enter');
  await cell(page, 0, 0).getByText('Bench XL').waitFor();
  await isSaved(page);
  expect(await catalog.product(bench, 'name brand')).toMatchObject({ name: 'Bench XL', brand: 'Acme' });
  await press(page, 'Control+z');
  await cell(page, 0, 0).getByText('Bench', { exact: true }).waitFor();
});

browserTest('a value beyond a limit and a value that somebody else changed stay unsaved, and their cells say why', async () => {
  const catalog = await seed();
  const [bench] = catalog.ids;
  const page = await visit(`/o/${catalog.slug}/products?${COLUMNS}`, { userId: catalog.owner.id });
  const grid = page.getByRole('grid', { name: 'Products' });
  await cell(page, 0, 2).getByText('red').waitFor();
  await grid.focus();
  await press(page, 'ArrowRight', 'ArrowRight', '5');
  await page.keyboard.type('0');
  await press(page, 'Enter', 'ArrowUp');
  await cell(page, 0, 3).getByText('Not saved. Weight must be at most 10.').waitFor();
  expect(await cell(page, 0, 3).getAttribute('aria-invalid')).toBe('true');
  expect(await accessibilityFaults(page)).toEqual([]);
  await photograph(page, 'grid-limit');
  expect((await catalog.valuesOf(bench)).weight).toBe(4);
  await press(page, 'Enter', 'Enter');
  await isSaved(page);
  await cell(page, 0, 3).getByText('50 kg').waitFor();
  expect((await catalog.valuesOf(bench)).weight).toBe(50);

  await catalog.api.post(`/api/${catalog.slug}/products/${bench}/update-attributes`, { attributes: { color: text('black') } });
  await press(page, 'ArrowUp', 'ArrowLeft');
  await page.keyboard.type('white');
  await press(page, 'Enter', 'ArrowUp');
  await cell(page, 0, 2).getByText('Somebody changed the value meanwhile: black. Yours: white.').waitFor();
  await cell(page, 0, 2).getByText('black', { exact: true }).waitFor();
  expect((await catalog.valuesOf(bench)).color).toBe('black');
  await press(page, 'Enter', 'Enter');
  await cell(page, 0, 2).getByText('white', { exact: true }).waitFor();
  await isSaved(page);
  expect((await catalog.valuesOf(bench)).color).toBe('white');
});

browserTest('a block is copied, and pasted after a preview of its changes and of the cells that cannot be read', async () => {
  const catalog = await seed();
  const [bench, chair, desk] = catalog.ids;
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await visit(`/o/${catalog.slug}/products?${COLUMNS}`, { userId: catalog.owner.id, permissions, locale: 'de-DE' });
  const grid = page.getByRole('grid', { name: 'Produkte' });
  await cell(page, 0, 2).getByText('red').waitFor();
  await grid.focus();
  await press(page, 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowDown', 'Control+c');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('red\t4\nblue\t');
  const block = ['gelb\t1,5\tsmall', '"mit\tTab"\t800 g\tHuge', '\t2.000\tLarge', 'zu\tviel\tweit'].join('\r\n');
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), block);
  await press(page, 'Home', 'ArrowRight', 'ArrowRight', 'ArrowUp', 'Control+v');
  const dialog = page.getByRole('dialog', { name: 'Werte einfügen' });
  await dialog.getByText('1 Zeile liegt unter dem Ende der Liste.').waitFor();
  await dialog.getByText('6 Werte ändern sich, 1 bleiben gleich, und 2 sind nicht lesbar.').waitFor();
  await dialog.getByText('4 kg → 1,5 kg').waitFor();
  await dialog.getByText('„Huge“').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await photograph(page, 'grid-paste');
  expect(await catalog.valuesOf(bench)).toEqual({ color: 'red', weight: 4 });
  await dialog.getByRole('button', { name: '6 speichern' }).press('Enter');
  await page.getByText('6 Werte gespeichert.').waitFor();
  await isSaved(page);
  expect(await catalog.valuesOf(bench)).toEqual({ color: 'gelb', weight: 1.5, size: 'Small' });
  expect(await catalog.valuesOf(chair)).toEqual({ color: 'mit\tTab', weight: 0.8 });
  expect(await catalog.valuesOf(desk)).toEqual({ size: 'Large' });
  await photograph(page, 'grid');
  await page.getByRole('button', { name: 'Rückgängig' }).first().click();
  await cell(page, 0, 2).getByText('red').waitFor();
  await isSaved(page);
  expect(await catalog.valuesOf(bench)).toEqual({ color: 'red', weight: 4, size: null });
  await grid.focus();
  await press(page, 'Shift+ArrowRight', 'Delete');
  await page.getByText('2 Werte gespeichert.').waitFor();
  expect(await catalog.valuesOf(bench)).toEqual({ color: null, weight: null, size: null });
});
