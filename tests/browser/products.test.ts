import { createReadStream } from 'node:fs';
import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE, sidewaysScrollers } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();

const hostile = '<img src=x onerror="document.title=1"> [a](javascript:alert(1)) =1+1';

browserTest('the list of products searches, sorts and filters, and renders only visible rows of a long list', async () => {
  const catalog = await seedCatalog();
  const names = Array.from({ length: 260 }, (_, at) => `Lamp ${String(at).padStart(3, '0')}`);
  await catalog.addProducts([
    ...names.map((name, at) => ({ name, sku: `L-${at}`, brand: at < 5 ? 'Norrvik' : 'Other' })),
    { name: hostile },
  ]);
  const page = await visit(`/o/${catalog.slug}/products?by=name&order=asc`, { userId: catalog.owner.id });
  await page.getByText('261 products').waitFor();
  await page.getByRole('link', { name: hostile }).waitFor();
  const table = page.getByRole('table', { name: 'Products' });
  expect(await table.getAttribute('aria-rowcount')).toBe('262');
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  await page.getByRole('region', { name: 'Products' }).focus();
  await page.keyboard.press('End');
  await page.getByRole('link', { name: 'Lamp 259' }).waitFor();

  await page.getByLabel('Search by name or SKU').fill('25 lamp');
  await page.getByText('13 products').waitFor();
  await page.getByRole('button', { name: 'Name' }).click();
  await page.getByRole('row').nth(1).getByRole('link', { name: 'Lamp 259' }).waitFor();
  await page.getByRole('link', { name: 'Lamp 250' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lamp 250' }).waitFor();
  await page.goBack();
  await page.getByText('13 products').waitFor();

  await page.getByLabel('Search by name or SKU').fill('');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('combobox', { name: 'Brand' }).fill('norrvik');
  await page.getByText('5 products').waitFor();
  await page.getByRole('option', { name: 'Norrvik' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Export products' });
  await dialog.getByRole('radio', { name: 'Those of the list' }).check();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Start the export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the file' }).click(),
  ]);
  const lines = (await createReadStream((await download.path())!).toArray()).join('').trim().split('\n');
  expect(lines).toHaveLength(6);
  expect(lines[0]!.trim()).toBe('sku,name,brand,category,archived,enriched,updatedAt');
});

browserTest('a product shows its values with their origins and its history, and values are edited by keyboard', async () => {
  const catalog = await seedCatalog([color, weight]);
  const [id] = await catalog.addProducts([{ name: 'Oak chair', userProvidedRawDataSources: ['Color: red\nWeight: 4 kg'] }]);
  await catalog.enrich([id!]);
  const page = await visit(`/o/${catalog.slug}/products/${id}`, { userId: catalog.owner.id });
  const row = page.getByRole('row', { name: /^Color/ });
  await row.getByText('Color: red').waitFor();
  await row.getByText('Not reviewed').waitFor();
  await row.getByRole('button', { name: 'Edit Color' }).press('Enter');
  const field = page.getByRole('dialog').getByLabel('Color');
  await field.fill(hostile);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  await row.getByText(hostile).waitFor();
  expect((await catalog.product(id!)).attributes.color.value).toBe(hostile);
  await page.getByRole('tab', { name: 'Enrichments' }).click();
  await page.getByRole('button', { name: /2 values/ }).click();
  await page.getByText('red', { exact: true }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

browserTest('a value outside its limits is stored after a warning, keeps the focus, and its history restores it', async () => {
  const catalog = await seedCatalog([color, { ...weight, constraints: { max: 500 } }]);
  const [id] = await catalog.addProducts([{ name: 'Oak chair' }]);
  const page = await visit(`/o/${catalog.slug}/products/${id}`, { userId: catalog.owner.id });
  const edit = page.getByRole('button', { name: 'Edit Weight' });
  const dialog = page.getByRole('dialog');
  const row = page.getByRole('row', { name: /^Weight/ });
  await row.getByText('Missing').waitFor();
  await edit.press('Enter');
  await dialog.getByLabel('Weight (kg)').fill('900');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Weight must be at most 500.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save anyway' }).click();
  await row.getByText('900 kg').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Edit Weight');
  await edit.press('Enter');
  await dialog.getByLabel('Weight (kg)').fill('9');
  await dialog.getByLabel('Weight (kg)').press('Enter');
  await row.getByText('9 kg', { exact: true }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'History of Weight' }).press('Enter');
  const entries = dialog.getByRole('listitem');
  await entries.nth(1).getByText('900 kg').waitFor();
  await entries.nth(0).getByText('Current value').waitFor();
  await photograph(page, 'value-history');
  expect(await accessibilityFaults(page)).toEqual([]);
  await entries.nth(1).getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Restored.').waitFor();
  await page.keyboard.press('Escape');
  await row.getByText('900 kg').waitFor();
});

browserTest(
  'a product shows HTML without scripts and remote content, its values by set, and the differences of its variants',
  async () => {
    const html = { slug: 'text', name: 'Text', type: 'html' };
    const catalog = await seedCatalog([color, weight, html]);
    const { api, attributeIds, owner, slug } = catalog;
    await api.graphql('mutation ($ids: [ID!]!) { createAttributeSet(name: "Look", attributeIds: $ids) { id } }', {
      ids: [attributeIds.color, attributeIds.text],
    });
    const dirty = '<p>Made of <strong>oak</strong>.</p><img src="https://example.com/x.png"><script>document.title = 1</script>';
    const attributes = { text: { attributeType: 'html', value: dirty }, color: { attributeType: 'text', value: 'red' } };
    const [parentId] = await catalog.addProducts([{ name: 'Chair', isParent: true, attributes }]);
    const [first] = await catalog.addProducts([
      { name: 'Chair red', sku: 'C-R', parentId, attributes: { color: { attributeType: 'text', value: 'red' } } },
      { name: 'Chair blue', sku: 'C-B', parentId, attributes: { color: { attributeType: 'text', value: 'blue' } } },
    ]);
    const page = await visit(`/o/${slug}/products/${parentId}`, { userId: owner.id });
    await page.getByRole('rowheader', { name: 'Look' }).waitFor();
    await page.getByRole('rowheader', { name: 'Other attributes' }).waitFor();
    const text = page.getByRole('row', { name: /^Text/ });
    expect(await text.locator('strong').textContent()).toBe('oak');
    expect(await text.locator('img, script').count()).toBe(0);
    await photograph(page, 'product');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Variants' }).click();
    const variants = page.getByRole('table', { name: 'Variants' });
    await variants.getByRole('columnheader', { name: 'Color' }).waitFor();
    await variants.getByRole('row', { name: /C-B blue/ }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await variants.getByRole('link', { name: 'Chair red' }).click();
    await page.waitForURL(`**/products/${first}`);
  },
);

browserTest('the confidence of values is compared with the reviews, by attribute and model', async () => {
  const catalog = await seedCatalog([color, weight]);
  const { owner, slug } = catalog;
  const page = await visit(`/o/${slug}/review`, { userId: owner.id });
  await page.getByRole('link', { name: 'Confidence of values' }).click();
  await page.getByText('Nothing judged yet').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  const texts = Array.from({ length: 6 }, () => ({ userProvidedRawDataSources: ['Color: red\nWeight: 4 kg'] }));
  const { items } = await catalog.enrich(await catalog.addProducts(texts));
  const decide = 'mutation ($itemId: ID!, $decisions: [Decision!]!) { reviewItem(itemId: $itemId, decisions: $decisions) { id } }';
  for (const [at, { id }] of items.entries()) {
    const verdict = at % 2 ? 'accept' : 'reject';
    await catalog.api.graphql(decide, {
      itemId: id,
      decisions: [
        { slug: 'color', verdict },
        { slug: 'weight', verdict: 'accept' },
      ],
    });
  }
  await page.reload();
  const groups = page.getByRole('table', { name: 'By attribute and model' });
  await groups.getByRole('row', { name: /^Color.*Budget model.*6.*50%/ }).waitFor();
  await page
    .getByRole('table', { name: 'Reliability' })
    .getByRole('row', { name: /^90% to 100%/ })
    .waitFor();
  await photograph(page, 'confidence');
  expect(await accessibilityFaults(page)).toEqual([]);
  await groups.getByRole('link', { name: 'Color' }).press('Enter');
  await groups.getByRole('row', { name: /^Weight/ }).waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Model' }).click();
  await page.getByRole('option', { name: 'Pro model' }).click();
  await page.getByText('No judged values').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await groups.getByRole('row', { name: /^Weight/ }).waitFor();

  await page.goto(`/o/${slug}/attributes/edit/${catalog.attributeIds.color}`);
  await page.getByRole('link', { name: 'Confidence of values' }).click();
  await groups.getByRole('link', { name: 'Color' }).waitFor();
  expect(await groups.getByRole('row').count()).toBe(2);
  const german = await visit(`/o/${slug}/review/confidence`, { userId: owner.id, locale: 'de-DE', viewport: PHONE });
  await german.getByRole('heading', { level: 1, name: 'Sicherheit der Werte' }).waitFor();
  await german.getByRole('table', { name: 'Nach Attribut und Modell' }).waitFor();
  await photograph(german, 'confidence-de');
  await german.setViewportSize(PHONE);
  expect(await german.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
});

browserTest('decisions are undone, and values are filtered by attribute and rejected at once', async () => {
  const catalog = await seedCatalog([color, weight]);
  const products = await catalog.addProducts(
    Array.from({ length: 4 }, (_, at) => ({ name: `Chair ${at}`, userProvidedRawDataSources: ['Color: red\nWeight: 4 kg'] })),
  );
  await catalog.enrich(products);
  const page = await visit(`/o/${catalog.slug}/review`, { userId: catalog.owner.id });
  await page.getByText('8 open').waitFor();
  await page.getByText('Weight: 4 kg').first().waitFor();
  await page.keyboard.press('a');
  await page.getByText('7 open').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('8 open').waitFor();
  expect((await catalog.api.graphql('{ reviewCount }')).reviewCount).toBe(8);
  await page.getByRole('combobox', { name: 'Order' }).click();
  await page.getByRole('option', { name: 'Most instructive first' }).click();
  await page.waitForURL('**/review?order=learning');
  await page.getByRole('combobox', { name: 'Category' }).waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Attribute' }).click();
  await page.getByRole('option', { name: 'Weight' }).click();
  await page.getByText('4 open').waitFor();
  await page.getByText('Weight: 4 kg').nth(3).waitFor();
  expect(await page.getByText('Color: red').count()).toBe(0);
  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  await page.getByText('3 open').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('4 open').waitFor();
  await page.goto(`/o/${catalog.slug}/review`);
  await page.getByText('8 open').waitFor();
  await page.getByRole('combobox', { name: 'Attribute' }).click();
  await page.getByRole('option', { name: 'Color' }).click();
  await page.getByText('4 open').waitFor();
  await page.waitForURL('**/review?attribute=color');
  await photograph(page, 'review-filtered');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Reject many' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('slider').press('End');
  await dialog.getByText('4 values match.').waitFor();
  await dialog.getByRole('button', { name: 'Reject all' }).click();
  await page.getByText('4 values rejected.').waitFor();
  await page.getByText('No values match').waitFor();
  expect((await catalog.product(products[0]!)).attributes.color).toBeUndefined();
  await page.keyboard.press('u');
  await page.getByText('4 open').waitFor();
  expect((await catalog.product(products[0]!)).attributes.color.value).toBe('red');
});

browserTest('values are reviewed by keyboard alone, and the rest above a confidence at once', async () => {
  const catalog = await seedCatalog([color, weight]);
  const products = await catalog.addProducts(
    Array.from({ length: 4 }, (_, at) => ({ name: `Chair ${at}`, userProvidedRawDataSources: ['Color: red\nWeight: 4 kg'] })),
  );
  await catalog.enrich(products);
  const page = await visit(`/o/${catalog.slug}/review`, { userId: catalog.owner.id });
  await page.getByText('8 open').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const chosen = page.getByRole('region', { name: 'Values to review' }).locator('[aria-current]');
  const first = await chosen.textContent();
  await page.keyboard.press('j');
  expect(await chosen.textContent()).not.toBe(first);
  await page.keyboard.press('k');
  expect(await chosen.textContent()).toBe(first);
  await page.keyboard.press('a');
  await page.keyboard.press('r');
  await page.waitForFunction(() => document.querySelectorAll('[role=region] button').length === 6);
  await page.keyboard.press('e');
  const editor = page.locator('form').locator('input:visible, textarea:visible').first();
  await editor.press('Control+A');
  const isNumber = (await editor.inputValue()).includes('kg');
  await editor.fill(isNumber ? '5' : 'blue');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForFunction(() => document.querySelectorAll('[role=region] button').length === 5);

  await page.getByRole('button', { name: 'Accept many' }).click();
  await page.getByRole('slider').press('Home');
  await page.getByText('5 values match.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Accept all' }).click();
  await page.getByText('Nothing to review').waitFor();
  const { reviewQueue } = await catalog.api.graphql('{ reviewQueue { pagination { total } } }');
  expect(reviewQueue.pagination.total).toBe(0);
});

browserTest.each(['', 'products', 'jobs', 'jobs/new', 'review', 'review/confidence'])(
  'the page /%s is accessible on a phone in the dark',
  async (path) => {
    const catalog = await seedCatalog();
    await catalog.addColored(2);
    const page = await visit(`/o/${catalog.slug}/${path}`, { userId: catalog.owner.id, viewport: PHONE, colorScheme: 'dark' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  },
);

browserTest('the values of a product fit a phone, with their origins', async () => {
  const catalog = await seedCatalog();
  const [id] = await catalog.addColored(1);
  await catalog.enrich([id!]);
  const attributes = { ['long'.repeat(20)]: { attributeType: 'text', value: 'x'.repeat(200) } };
  await catalog.api.post(`/api/${catalog.slug}/products/${id}/update-attributes`, { attributes });
  const page = await visit(`/o/${catalog.slug}/products/${id}`, { userId: catalog.owner.id, viewport: PHONE });
  await page.getByRole('row', { name: /Color/ }).getByText('%').first().waitFor();
  await page.getByText('x'.repeat(200)).waitFor();
  expect(await sidewaysScrollers(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  expect(await accessibilityFaults(page)).toEqual([]);
});

browserTest('a form with unsaved edits asks before the user leaves it', async () => {
  const catalog = await seedCatalog();
  await catalog.addColored(1);
  const page = await visit(`/o/${catalog.slug}/products`, { userId: catalog.owner.id });
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('tab', { name: 'Details' }).click();
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  const jobs = page.getByRole('link', { name: 'Jobs', exact: true });
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await name.click();
  await name.fill('Edited');
  for (const leave of [() => jobs.click(), () => page.getByRole('tab', { name: 'Values' }).click(), () => page.goBack()]) {
    await leave();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect([await name.inputValue(), new URL(page.url()).search]).toEqual(['Edited', '?tab=details']);
  }
  const closing = page.waitForEvent('dialog');
  const reloading = page.reload().catch(() => {});
  const asked = await closing;
  expect(asked.type()).toBe('beforeunload');
  await asked.dismiss();
  void reloading;
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await jobs.click();
  await page.waitForURL('**/jobs');
  await page.goBack();
  await name.fill('Edited again');
  await jobs.click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL('**/jobs');
});

browserTest('a deletion is undone from its toast, and deleted products are restored from their list', async () => {
  const catalog = await seedCatalog();
  const [id] = await catalog.addProducts([{ name: 'Oak chair' }, { name: 'Oak table' }, { name: 'Oak shelf' }]);
  const page = await visit(`/o/${catalog.slug}/products/${id}`, { userId: catalog.owner.id });
  const remove = async (name: string) => {
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  };
  await remove('Oak chair');
  await page.getByText('2 products').waitFor();
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('1 product restored.').waitFor();
  await page.getByText('3 products').waitFor();

  for (const name of ['Oak table', 'Oak shelf']) {
    await page.getByRole('link', { name }).click();
    await remove(name);
  }
  await page.getByText('1 product', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Deleted products' }).click();
  const table = page.getByRole('table', { name: 'Deleted products' });
  await table.getByRole('row', { name: /Oak shelf/ }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await table.getByRole('checkbox', { name: 'Select all loaded rows' }).check();
  await page.getByRole('button', { name: 'Restore 2' }).click();
  await page.getByText('No deleted products').waitFor();
  expect((await catalog.api.graphql('{ products { pagination { total } } }')).products.pagination.total).toBe(3);
});

browserTest('products are archived, found again by a filter, and brought back', async () => {
  const catalog = await seedCatalog();
  await catalog.addProducts([{ name: 'Oak chair' }, { name: 'Oak table' }]);
  const page = await visit(`/o/${catalog.slug}/products`, { userId: catalog.owner.id });
  const table = page.getByRole('table', { name: 'Products' });
  await table
    .getByRole('row', { name: /Oak chair/ })
    .getByRole('checkbox')
    .check();
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('1 product archived.').waitFor();
  await page.getByText('1 product', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('checkbox', { name: 'Archived products' }).check();
  await page.keyboard.press('Escape');
  await table
    .getByRole('row', { name: /Oak chair.*Archived/ })
    .getByRole('checkbox')
    .check();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Bring back' }).click();
  await page.getByText('1 product brought back.').waitFor();
  await page.getByText('No products').waitFor();
});

browserTest('many products are edited after a preview, and the edit is undone', async () => {
  const catalog = await seedCatalog([color, { ...weight, constraints: { max: 10 } }]);
  const value = (value: number) => ({ weight: { attributeType: 'number', value } });
  const [light, heavy] = await catalog.addProducts([
    { name: 'Oak chair', brand: 'Norvik', attributes: value(4) },
    { name: 'Oak table', brand: 'Norvik', attributes: value(40) },
  ]);
  const page = await visit(`/o/${catalog.slug}/products`, { userId: catalog.owner.id });
  await page.getByText('2 products').waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Edit all 2 of the list' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit products: 2' });
  await dialog.getByRole('combobox', { name: 'Field or attribute' }).click();
  await page.getByRole('option', { name: 'Weight' }).click();
  await dialog.getByRole('combobox', { name: 'Change' }).click();
  await page.getByRole('option', { name: 'Multiply' }).click();
  await dialog.getByLabel('Factor').fill('2');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('Of the first 2 products, 1 change, 0 stay the same and 1 are refused.').waitFor();
  await dialog.getByText('Weight: 4 → 8').waitFor();
  await dialog.getByText('Weight must be at most 10').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await photograph(page, 'bulk-edit');
  await dialog.getByRole('button', { name: 'Edit 2 now' }).click();
  await page.getByRole('heading', { level: 1, name: 'Bulk edit' }).waitFor();
  await page.getByText('2 products: 1 changed, 0 unchanged, 1 refused.').waitFor();
  await page.getByText('Weight: 4 → 8').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect((await catalog.product(light!)).attributes.weight.value).toBe(8);
  await page.getByText('Refused', { exact: true }).click();
  await page.getByText('Weight must be at most 10').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: 'The edit that this job undoes' }).waitFor();
  await page.getByText('1 products: 1 changed, 0 unchanged, 0 refused.').waitFor();
  expect((await catalog.product(light!)).attributes.weight.value).toBe(4);
  expect((await catalog.product(heavy!)).attributes.weight.value).toBe(40);
});

browserTest('products are filtered by a category with those below it, and by values of attributes', async () => {
  const catalog = await seedCatalog([color]);
  const value = (value: string) => ({ color: { attributeType: 'text', value } });
  await catalog.addProducts([
    { name: 'Oak chair', category: 'Home > Chairs', attributes: value('red') },
    { name: 'Oak table', category: 'Home', attributes: value('red') },
    { name: 'Oak bench', category: 'Home > Chairs', attributes: value('blue') },
    { name: 'Oak fence', category: 'Garden', attributes: value('red') },
  ]);
  const page = await visit(`/o/${catalog.slug}/products`, { userId: catalog.owner.id });
  await page.getByText('4 products').waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('combobox', { name: 'Category' }).fill('home');
  await page.getByText('3 products').waitFor();
  await page.getByRole('option', { name: 'Home > Chairs' }).click();
  await page.getByText('2 products').waitFor();
  await page.getByRole('button', { name: 'Filter by a value' }).click();
  await page.getByRole('combobox', { name: 'Attribute of the filter' }).click();
  await page.getByRole('option', { name: 'Color' }).click();
  await page.getByLabel('Value of the filter').fill('Red');
  await page.getByText('1 product', { exact: true }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.reload();
  await page.getByRole('link', { name: 'Oak chair' }).waitFor();
});
