import { seedCatalog, weight } from '../support/enrichment.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();
const FILE = 'Nr;Text;Gew;Farbe;Intern\nA-1;Anvil;1.250;red;x\nA-2;Bolt;12;blue;y\n';
const file = (name: string, text = FILE) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
type Page = Awaited<ReturnType<typeof visit>>;

async function choose(page: Page, ...files: ReturnType<typeof file>[]) {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).press('Enter'),
  ]);
  await chooser.setFiles(files);
}

/** Chooses a use by the keyboard. */
async function use(page: Page, column: string, name: string) {
  const select = page.getByRole('combobox', { name: `Use of ${column}`, exact: true });
  await select.focus();
  await select.fill(name);
  await page.getByRole('option', { name, exact: true }).waitFor();
  await select.press('ArrowDown');
  await select.press('Enter');
}

browserTest('columns are assigned with a preview, saved for a supplier, and recognized in the next file', async () => {
  const catalog = await seedCatalog([weight]);
  const page = await visit(`/o/${catalog.slug}/imports/new`, { userId: catalog.owner.id });
  await choose(page, file('norrvik.csv'));
  const table = page.getByRole('group', { name: 'norrvik.csv' });
  await table.getByRole('switch', { name: 'Assign the columns' }).press('Space');
  await table.getByText('Choose a column for the name or the SKU.').waitFor();
  await use(page, 'Nr', 'SKU');
  await use(page, 'Text', 'Name');
  await use(page, 'Gew', 'Weight');
  await use(page, 'Farbe', 'New attribute');
  await use(page, 'Intern', 'Leave out');
  await table.getByText('The import will ask.').waitFor();
  await table.getByRole('textbox', { name: 'Unit of cells without one: Gew' }).fill('kg');
  await table.getByRole('combobox', { name: 'Decimal mark: Gew' }).click();
  await page.getByRole('option', { name: 'Point: 6.4' }).click();
  await table.getByText('1.25', { exact: true }).waitFor();
  await page.getByText('All tables are read by their columns. This costs no credits.').waitFor();
  expect(await page.getByRole('radio', { name: 'Budget model' }).count()).toBe(0);
  await photograph(page, 'import-columns');
  expect(await accessibilityFaults(page)).toEqual([]);

  await table.getByRole('button', { name: 'Save for supplier…' }).click();
  await page.getByRole('dialog').getByLabel('Supplier').fill('Norrvik');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Columns saved for Norrvik').waitFor();
  await page.getByRole('button', { name: 'Find products' }).click();
  await page.getByText('2 found').waitFor();
  await page.getByRole('button', { name: 'Import all' }).click();
  await page.getByText('2 products imported').waitFor();

  await page.goto(`/o/${catalog.slug}/imports/new`);
  await choose(page, file('next.csv', 'Intern;Farbe;Gew;Text;Nr\nz;green;0.750;Clamp;A-3\n'));
  const next = page.getByRole('group', { name: 'next.csv' });
  await next.getByText('Columns of Norrvik recognized').waitFor();
  await next.getByText('0.75', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Find products' }).click();
  await page.getByText('1 found').waitFor();
});

browserTest('the step is usable on a phone, in German and in the dark', async () => {
  const catalog = await seedCatalog([weight]);
  const page = await visit(`/o/${catalog.slug}/imports/new`, {
    ...{ userId: catalog.owner.id, viewport: PHONE, colorScheme: 'dark', locale: 'de-DE' },
  });
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Dateien wählen' }).press('Enter'),
  ]);
  await chooser.setFiles([file('liste.csv', 'SKU;Name;Gewicht (g)\nA-1;Amboss;1.250,5\n')]);
  const table = page.getByRole('group', { name: 'liste.csv' });
  await table.getByRole('switch', { name: 'Spalten zuordnen' }).press('Space');
  await table.getByRole('columnheader', { name: 'SKU' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  await photograph(page, 'import-columns-german');
});

browserTest('more than 1,000 products are imported by a job with progress', async () => {
  const catalog = await seedCatalog();
  const page = await visit(`/o/${catalog.slug}/imports/new`, { userId: catalog.owner.id });
  const rows = Array.from({ length: 2_500 }, (_, n) => `P-${n};Product ${n}`).join('\n');
  await choose(page, file('many.csv', `SKU;Name\n${rows}\n`));
  const table = page.getByRole('group', { name: 'many.csv' });
  await table.getByRole('switch', { name: 'Assign the columns' }).press('Space');
  await page.getByText('This costs no credits.').waitFor();
  await page.getByRole('button', { name: 'Find products' }).click();
  await page.getByText('2,500 found').waitFor();
  await page.getByRole('button', { name: 'Import all' }).click();
  await page.getByText('2,500 products imported').waitFor();
  await page.getByText('Imported', { exact: true }).first().waitFor();
  // The list has only the visible rows.
  expect(await page.getByRole('row').count()).toBeLessThan(100);
});
