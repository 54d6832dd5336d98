import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();

const text = (value: string) => ({ attributeType: 'text', value });
const number = (value: number) => ({ attributeType: 'number', value });

browserTest('columns are chosen by keyboard, stay in the address, and a wide table scrolls in its region', async () => {
  const more = Array.from({ length: 8 }, (_, at) => ({ slug: `extra-${at}`, name: `Extra ${at}`, type: 'text' }));
  const catalog = await seedCatalog([color, weight, ...more]);
  await catalog.addProducts([
    {
      name: 'Oak chair',
      manufacturer: 'Norrvik',
      attributes: { color: text('red'), weight: number(4.5), 'extra-7': text('last') },
    },
    { name: 'Oak table' },
  ]);
  const page = await visit(`/o/${catalog.slug}/products`, { userId: catalog.owner.id });
  const table = page.getByRole('table', { name: 'Products' });
  await page.getByText('2 products').waitFor();
  await page.getByRole('button', { name: 'Columns' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  const add = async (name: string) => {
    await dialog.getByRole('combobox', { name: 'Add a column' }).fill(name);
    await page.getByRole('option', { name, exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: `Remove ${name}` }).waitFor();
  };
  await add('Weight');
  await add('Manufacturer');
  await dialog.getByRole('button', { name: 'Remove Category' }).press('Enter');
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
  await table.getByRole('row', { name: /Oak chair.*4\.5 kg.*Norrvik/ }).waitFor();
  expect(await table.getByRole('columnheader', { name: 'Category' }).count()).toBe(0);

  const keys = ['sku', 'brand', '@color', ...more.map(({ slug }) => `@${slug}`)];
  await page.goto(`/o/${catalog.slug}/products?columns=${encodeURIComponent(keys.join(','))}`);
  await table.getByRole('row', { name: /Oak chair.*red.*last/ }).waitFor();
  const region = page.getByRole('region', { name: 'Products' });
  const last = table.getByRole('columnheader', { name: 'Extra 7' });
  const isInView = () => last.evaluate((head) => head.getBoundingClientRect().right <= window.innerWidth);
  expect(await isInView()).toBe(false);
  await region.focus();
  for (let press = 0; press < 60 && !(await isInView()); press++) await page.keyboard.press('ArrowRight');
  expect(await isInView()).toBe(true);
  expect(
    await table.getByRole('link', { name: 'Oak chair' }).evaluate((link) => link.getBoundingClientRect().left),
  ).toBeGreaterThan(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  expect(await accessibilityFaults(page)).toEqual([]);
  await photograph(page, 'columns');
  await page.setViewportSize(PHONE);
  await table.getByRole('columnheader', { name: 'Brand' }).waitFor();
  expect(await table.getByRole('columnheader').count()).toBe(4);
});

browserTest('a view is saved and shared, opened by a colleague, replaced and deleted', async () => {
  const catalog = await seedCatalog([color]);
  await catalog.addProducts([{ name: 'Oak chair', brand: 'Norrvik', attributes: { color: text('red') } }, { name: 'Oak table' }]);
  const colleague = await catalog.addMember('member');
  const page = await visit(`/o/${catalog.slug}/products?brand=Norrvik&columns=sku,@color`, { userId: catalog.owner.id });
  await page.getByText('1 product', { exact: true }).waitFor();
  const save = async (name: string, submit: string, isShared: boolean) => {
    await page
      .getByRole('button', { name: 'Views' })
      .or(page.getByRole('button', { name: 'Red ones' }))
      .press('Enter');
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save the view' });
    await dialog.getByRole('combobox', { name: 'Name' }).fill(name);
    if (isShared) await dialog.getByLabel('Share with the organization').check();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: submit }).click();
    await page.getByText('View saved.').first().waitFor();
    await dialog.waitFor({ state: 'detached' });
  };
  await save('Red ones', 'Save', true);
  await page.getByRole('button', { name: 'Red ones' }).click();
  await page.getByRole('menuitem', { name: 'Usual view' }).click();
  await page.getByText('2 products').waitFor();

  const other = await visit(`/o/${catalog.slug}/products`, { userId: colleague.id, locale: 'de-DE' });
  await other.getByText('2 Produkte').waitFor();
  await other.getByRole('button', { name: 'Ansichten' }).click();
  await other.getByText('Mit mir geteilt').waitFor();
  await other.getByRole('menuitem', { name: 'Red ones' }).click();
  await other
    .getByRole('table')
    .getByRole('row', { name: /Oak chair.*red/ })
    .waitFor();
  await other.getByText('1 Produkt', { exact: true }).waitFor();
  expect(await accessibilityFaults(other)).toEqual([]);
  await photograph(other, 'views');

  await page.getByLabel('Search by name or SKU').fill('table');
  await page.getByText('1 product', { exact: true }).waitFor();
  await save('red ones', 'Replace', false);
  await page.getByRole('button', { name: 'red ones' }).click();
  await page.getByRole('menuitem', { name: 'Manage views' }).click();
  await page.getByRole('button', { name: 'Delete the view red ones' }).click();
  await page.getByRole('dialog', { name: 'Delete the view red ones?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No views.').waitFor();
});
