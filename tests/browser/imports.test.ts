import { randomUUID } from 'node:crypto';
import { seedCatalog } from '../support/enrichment.ts';
import { sendFiles } from '../support/form.ts';
import { csv } from '../uploads/files.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();
const hostile = '<img src=x onerror="document.title=1">';
const rows = `SKU,Name,Parent SKU,Colour,Brand
T,Shirt,,,Norrvik
T-R,Shirt red,T,red,Norrvik
T-B,Shirt blue,T,blue,Norrvik
M-1,Mug,,,Norrvik
H-1,"${hostile.replaceAll('"', '""')}",,,Norrvik
,Kettle,,,Norrvik
`;

browserTest(
  'files are uploaded, the import is watched, found products are corrected and chosen, and they enter the catalog',
  async () => {
    const catalog = await seedCatalog();
    const page = await visit(`/o/${catalog.slug}/imports`, { userId: catalog.owner.id });
    await page.getByText('No imports yet').waitFor();
    await page.getByRole('link', { name: 'New import' }).first().click();
    await page.getByRole('button', { name: 'Find products' }).click();
    await page.getByText('Add at least one file.').waitFor();
    const choose = page.getByRole('button', { name: 'Choose files' });
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), choose.press('Enter')]);
    await chooser.setFiles([
      { name: 'shirts.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) },
      { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no PDF') },
    ]);
    await page.getByText('Uploaded', { exact: true }).waitFor();
    await page.getByText(/^broken\.pdf: /).waitFor();
    await page.getByRole('button', { name: 'Find products' }).click();
    await page.getByText('Choose a model.').waitFor();
    await page.getByRole('radio', { name: 'Budget model' }).check();
    await page.getByText('Reading 1 page costs at most').waitFor();
    await photograph(page, 'import-new');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove broken.pdf' }).click();
    await page.getByRole('button', { name: 'Find products' }).click();

    await page.getByText('6 found').waitFor();
    await page.getByText(hostile).waitFor();
    await page.getByText('Family of 2 variants').waitFor();
    await photograph(page, 'import-found');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Mug' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name').fill('Blue mug');
    await page.getByRole('dialog').getByLabel('Brand').press('Enter');
    const mug = page.getByRole('row', { name: /Blue mug/ });
    await mug.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Import 1 chosen' }).click();
    await page.getByText('1 product imported').waitFor();
    await mug.getByText('Imported', { exact: true }).waitFor();
    await mug.getByRole('link', { name: 'Blue mug' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'shirts.csv' }).waitFor();
    await page.getByRole('button', { name: 'Import all' }).click();
    await page.getByText('4 products imported').waitFor();
    await page.getByText('1 could not be imported').waitFor();
    await photograph(page, 'import-done');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Show the products' }).click();
    await page.getByRole('link', { name: 'Blue mug' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Imports' }).click();
    await page.getByRole('link', { name: 'shirts.csv' }).waitFor();
    await photograph(page, 'imports');
    expect(await accessibilityFaults(page)).toEqual([]);
  },
);

browserTest('pages that could not be read are read again by a job of their own', async () => {
  const catalog = await seedCatalog();
  const fields = { modelType: 'budget-v1', prompt: `All products [[provider: 401 1 ${randomUUID()}]]` };
  const { body } = await sendFiles(catalog, '/ai-import-jobs/create', [csv(rows)], { fields });
  await catalog.end(body.data.jobId);
  const page = await visit(`/o/${catalog.slug}/imports/${body.data.jobId}`, { userId: catalog.owner.id });
  await page.getByText('Some pages could not be read').waitFor();
  await page.getByRole('button', { name: 'Read failed pages again' }).click();
  await page.getByText('6 found').waitFor();
  await page.getByRole('button', { name: 'Read failed pages again' }).waitFor({ state: 'detached' });
});

browserTest.each(['imports', 'imports/new'])('the page /%s is accessible on a phone in the dark', async (path) => {
  const catalog = await seedCatalog();
  const page = await visit(`/o/${catalog.slug}/${path}`, { userId: catalog.owner.id, viewport: PHONE, colorScheme: 'dark' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
});
