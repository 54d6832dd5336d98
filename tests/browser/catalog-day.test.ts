import { readFile } from 'node:fs/promises';
import { read, utils } from '@e965/xlsx';
import type { Page } from 'playwright-core';
import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { types, workbook } from '../uploads/files.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';

// A day of a catalog manager: the file of a supplier with everything that such files have, questions, corrections in
// the sheet, and an export that comes back changed. Each step goes on from the one before.

const german = (name: string) => [{ language: 'de', name, options: [] }];
const attributes = [
  { ...color, translations: german('Farbe') },
  { ...weight, translations: german('Gewicht') },
  { slug: 'width', name: 'Width', type: 'number', unit: 'cm', translations: german('Breite') },
];
const visit = dashboard();
const catalog = await seedCatalog(attributes);
const base = `/o/${catalog.slug}`;
let page: Page;

const HEADER = 'Artikel-Nr.;Bezeichnung;Variante von;Marke;Kategorie;Farbe;Gewicht;Breite;EAN;Preis;Beschreibung';
/** 38 rows in the encoding of Excel on Windows: a family, a product that is stated twice, a row without a name, and a footer. */
const rows = [
  'AKB-1000;Gartenbank Küste;;Nørrvik;Möbel > Bänke;;;;;;Geölte Akazie – für draußen',
  'AKB-1001;Gartenbank Küste groß;AKB-1000;Nørrvik;Möbel > Bänke;natur;12,5 kg;1.200 mm;4006381333931;1.299,00 €;"Für 3; mit Lehne"',
  'AKB-1002;Gartenbank Küste klein;AKB-1000;Nørrvik;Möbel > Bänke;natur;9.800 g;80 cm;4006381333948;899,00 €;Für 2',
  'AKB-1001;Gartenbank Küste groß;AKB-1000;Nørrvik;Möbel > Bänke;natur;900 kg;1.200 mm;;;',
  'AKB-1003;;AKB-1000;Nørrvik;Möbel > Bänke;grau;10,1 kg;80 cm;;;',
  ...Array.from(
    { length: 32 },
    (_, n) => `LM-${n};Leuchte Nº ${n};;Lumen;Leuchten > Tisch;schwarz;${n + 1},5 kg;${20 + n} cm;;49,90 €;`,
  ),
  'Alle Preise inkl. MwSt.;;;;;;;;;;',
];
const cp1252 = (text: string) => Buffer.from(text.replaceAll('€', '\x80').replaceAll('–', '\x96'), 'latin1');

async function upload(name: string, mimeType: string, buffer: Buffer) {
  await page.goto(`${base}/imports/new`);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).press('Enter'),
  ]);
  await chooser.setFiles([{ name, mimeType, buffer }]);
  await page.getByText('Uploaded', { exact: true }).waitFor();
}
/** Reads the columns as proposed. */
async function assign(name: string) {
  const table = page.getByRole('group', { name });
  await table.getByRole('switch', { name: 'Assign the columns' }).press('Space');
  await page.getByText('This costs no credits.').waitFor();
  return table;
}
/** The values of a product by slug. */
async function valuesOf(sku: string) {
  const { productBySku } = await catalog.api.graphql(
    'query ($sku: String!) { productBySku: products(search: $sku, limit: 1) { nodes { id } } }',
    { sku },
  );
  const { attributes: values } = await catalog.product(productBySku.nodes[0].id);
  return Object.fromEntries(Object.entries(values as Record<string, { value: unknown }>).map(([slug, { value }]) => [slug, value]));
}

const firstSheet = (text: string) => {
  const { Sheets, SheetNames } = read(text.replace('\ufeff', ''), { type: 'string', raw: true });
  return Sheets[SheetNames[0]!]!;
};

browserTest('the file of a supplier is read without a model, and asks only what it leaves open', async () => {
  page = await visit(base, { userId: catalog.owner.id });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await upload('küste.csv', 'text/csv', cp1252([HEADER, ...rows].join('\r\n')));
  const table = await assign('küste.csv');
  await table.getByText('Gartenbank Küste groß').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Find products' }).click();
  await page.getByText('38 rows read, 36 products found').waitFor();
  await page.getByText('1 stated twice').waitFor();
  await page.getByRole('button', { name: 'Show the rows' }).click();
  const notes = page.getByRole('dialog');
  await notes.getByText('The row has only one text, and no name.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await page.getByRole('switch', { name: 'Only with questions (2)' }).check();
  await page.getByRole('button', { name: 'AKB-1003' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The row has no name.').waitFor();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Gartenbank Küste grau');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Only with questions (1)').waitFor();
  await page.getByRole('button', { name: 'Gartenbank Küste groß' }).click();
  await dialog.getByText('Which row counts?').waitFor();
  await dialog.getByText('Gewicht: 900 kg').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('radio', { name: 'Row 3' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Only with questions (0)').waitFor();
  await page.getByRole('button', { name: 'Import all' }).click();
  await page.getByText('36 products imported').waitFor();
  expect(await valuesOf('AKB-1001')).toEqual({ color: 'natur', weight: 12.5, width: 120 });
  expect(await valuesOf('AKB-1002')).toEqual({ color: 'natur', weight: 9.8, width: 80 });
});

browserTest('products are found by words, and a value shows the cell that it comes from', async () => {
  page = await visit(`${base}/products`, { userId: catalog.owner.id });
  await page.getByText('36 products').waitFor();
  await page.getByLabel('Search by name or SKU').fill('groß küste');
  await page.getByText('1 product', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Gartenbank Küste groß' }).click();
  const row = page.getByRole('row', { name: /^Weight/ });
  await row.getByText('12.5 kg').waitFor();
  await row.getByText(/küste\.csv/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto(base);
  await page.getByText('36 products found').waitFor();
  await page.getByText('Completeness').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

browserTest('a value is corrected in the sheet, and an export that was changed in a spreadsheet comes back', async () => {
  page = await visit(`${base}/products?columns=sku,@color,@weight&mode=edit&by=name&order=asc`, { userId: catalog.owner.id });
  const grid = page.getByRole('grid', { name: 'Products' });
  const klein = grid.getByRole('row', { name: /AKB-1002/ });
  await klein.getByText('9.8 kg').click();
  await page.keyboard.type('10');
  await page.keyboard.press('Enter');
  await klein.getByText('10 kg').waitFor();
  await page.locator('td[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.goto(`${base}/products`);
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start the export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the file' }).click(),
  ]);
  const lines = utils.sheet_to_json<string[]>(firstSheet(await readFile((await download.path())!, 'utf8')), { header: 1 });
  const [header] = lines;
  const change = (sku: string, column: string, cell: string) => {
    lines.find((line) => line[header!.indexOf('sku')] === sku)![header!.indexOf(column)] = cell;
  };
  change('AKB-1001', 'weight', '13');
  change('AKB-1002', 'weight', '11');
  change('LM-0', 'name', 'Leuchte Nº 0 neu');
  lines.push(['LM-99', 'Leuchte Nº 99']);
  await upload('zurück.xlsx', types.xlsx, workbook(lines).content as Buffer);
  await assign('zurück.xlsx, Products');
  await page.getByRole('button', { name: 'Find products' }).click();
  await page.getByText('37 rows read, 37 products found').waitFor();
  await page.getByRole('combobox', { name: 'Existing products' }).click();
  await page.getByRole('option', { name: 'Create and change' }).click();
  await page.getByText('Weight: 12.5 kg → 13 kg').waitFor();
  await page.getByText('Weight: stays 10 kg, entered or accepted by a person').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Import all' }).click();
  await page.getByText('1 created, 2 changed, 34 unchanged.').waitFor();
  expect(await valuesOf('AKB-1001')).toEqual({ color: 'natur', weight: 13, width: 120 });
  expect(await valuesOf('AKB-1002')).toEqual({ color: 'natur', weight: 10, width: 80 });
});
