import { createReadStream } from 'node:fs';
import { seedCatalog } from '../support/enrichment.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();

browserTest('an empty organization sees the first steps, which are done once their records exist', async () => {
  const catalog = await seedCatalog([]);
  const page = await visit(`/o/${catalog.slug}`, { userId: catalog.owner.id });
  const steps = page.getByRole('list', { name: 'First steps' }).getByRole('listitem');
  await steps.nth(4).getByRole('link', { name: 'Create an agent' }).waitFor();
  await photograph(page, 'first-steps');
  expect(await accessibilityFaults(page)).toEqual([]);
  await steps.nth(1).getByRole('button', { name: 'Sample file' }).click();
  const dialog = page.getByRole('dialog', { name: 'A product file' });
  await dialog.getByRole('rowheader', { name: 'Parent SKU' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download the sample' }).click(),
  ]);
  const lines = (await createReadStream((await download.path())!).toArray()).join('').trim().split('\n');
  expect(lines[0]).toMatch(/SKU,Name,Parent SKU,.*Weight \(kg\)/);
  expect(lines).toHaveLength(5);
  await page.keyboard.press('Escape');

  await steps.nth(0).getByRole('link', { name: 'Define attributes' }).click();
  await page.getByRole('button', { name: 'Templates' }).click();
  await page.getByRole('menuitem', { name: 'Furniture' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Furniture' }).waitFor();
  const { attributes } = await catalog.api.graphql('{ attributes { slug unit translations { language name } } }');
  expect(attributes).toContainEqual({ slug: 'seat-height', unit: 'cm', translations: [{ language: 'de', name: 'Sitzhöhe' }] });
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
  await steps.nth(0).getByText('(done)').waitFor();
});

browserTest('names and options of attributes are shown in the language of the reader', async () => {
  const translations = [{ language: 'de', name: 'Farbe', options: [{ option: 'Red', label: 'Rot' }] }];
  const catalog = await seedCatalog([{ slug: 'color', name: 'Color', type: 'select', options: ['Red', 'Blue'], translations }]);
  const [id] = await catalog.addProducts([{ name: 'Chair', attributes: { color: { attributeType: 'select', value: 'Red' } } }]);
  const page = await visit(`/o/${catalog.slug}/products/${id}`, { userId: catalog.owner.id, locale: 'de-DE' });
  await page.getByRole('row', { name: /^Farbe Rot/ }).waitFor();
  const english = await visit(`/o/${catalog.slug}/attributes/edit/${catalog.attributeIds.color}`, { userId: catalog.owner.id });
  await english.getByRole('combobox', { name: 'Add a language' }).click();
  await english.getByRole('option', { name: 'French' }).click();
  await english.getByLabel('Name in French').fill('Couleur');
  await english.getByRole('group', { name: 'French' }).getByLabel('Blue').fill('Bleu');
  await photograph(english, 'attribute-translations');
  expect(await accessibilityFaults(english)).toEqual([]);
  const saved = english.waitForResponse((response) => /updateAttribute\b/.test(response.request().postData() ?? ''));
  await english.getByRole('button', { name: 'Save' }).click();
  await saved;
  const { attributes } = await catalog.api.graphql('{ attributes { translations { language name options { option label } } } }');
  expect(attributes[0].translations).toEqual([
    ...translations,
    { language: 'fr', name: 'Couleur', options: [{ option: 'Blue', label: 'Bleu' }] },
  ]);
});

browserTest('Ctrl-K finds pages, products and jobs by keyboard, also on a phone in German', async () => {
  const catalog = await seedCatalog();
  const [id] = await catalog.addProducts([{ name: 'Oak chair', userProvidedRawDataSources: ['Color: red'] }]);
  await catalog.enrich([id!]);
  const page = await visit(`/o/${catalog.slug}/products`, { userId: catalog.owner.id });
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search everything' });
  await field.fill('chair oak');
  await page.getByRole('option', { name: 'Oak chair' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Oak chair' }).waitFor();
  await page.keyboard.press('Control+k');
  await field.fill('enrichment');
  await page.getByRole('option', { name: /Product enrichment/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Product enrichment' }).waitFor();
  const german = await visit(`/o/${catalog.slug}`, {
    userId: catalog.owner.id,
    locale: 'de-DE',
    viewport: PHONE,
    colorScheme: 'dark',
  });
  await german.getByRole('button', { name: 'Alles durchsuchen' }).click();
  await german.getByRole('option', { name: 'Einstellungen' }).waitFor();
  await photograph(german, 'palette');
  await german.setViewportSize(PHONE);
  expect(await accessibilityFaults(german)).toEqual([]);
  expect(await german.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
});
