import { randomUUID } from 'node:crypto';
import { color, seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';
import { holdAnswer, runs } from './held-answer.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();

const hostile = '<img src=x onerror="document.title=1"> [a](javascript:alert(1)) =1+1';

browserTest(
  'a job that samples first is started for chosen products, pauses, is continued, and its failures are retried',
  async () => {
    const catalog = await seedCatalog();
    await catalog.addColored(2);
    await catalog.addProducts([{ name: 'Broken', userProvidedRawDataSources: ['n/a'] }]);
    const page = await visit(`/o/${catalog.slug}/products?by=createdAt&order=asc`, { userId: catalog.owner.id });
    await page.getByLabel('Select all loaded rows').check();
    await page.getByRole('button', { name: 'Start a job with 3' }).click();
    await page.getByText('3 items cost at most 3 of your 100,000 credits.').waitFor();
    await page.getByLabel('Also search the web').uncheck();
    await page.getByLabel('Pause after this number of items').fill('1');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start', exact: true }).click();

    await page.getByText('The sample is done, and the other items wait.').waitFor({ timeout: 60_000 });
    await page.getByText('1 of 3').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Completed with errors').waitFor({ timeout: 60_000 });
    await page.getByText('3 of 3').waitFor();
    await page.locator('label').getByText('Failed', { exact: true }).click();
    await page.getByRole('button', { name: 'Broken' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Broken' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const first = page.url();
    await page.getByRole('button', { name: 'Retry failed items' }).click();
    await page.waitForURL((url) => !first.startsWith(`${url.origin}${url.pathname}`));
    await page.getByText('Completed with errors').waitFor({ timeout: 60_000 });
    await page.getByText('1 of 1').waitFor();
  },
);

browserTest('a running job is paused, continued, and stopped after a confirmation, and its page follows', async () => {
  const catalog = await seedCatalog();
  const gate = randomUUID();
  const jobId = await catalog.start(await catalog.addColored(60, `[[provider: gate 1 ${gate}]]`));
  const page = await visit(`/o/${catalog.slug}/jobs/${jobId}`, { userId: catalog.owner.id });
  await page.getByText('1 of 60').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Pause' }).press('Enter');
  await page.getByRole('status').filter({ hasText: 'The job was paused.' }).waitFor();
  await photograph(page, 'job-paused');
  expect(await accessibilityFaults(page)).toEqual([]);
  // Another tab has continued it meanwhile.
  await catalog.api.graphql('mutation ($id: ID!) { continueJob(id: $id) { id } }', { id: jobId });
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Continue' }).press('Enter');
  await page.getByText('Running', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Stop' }).click();
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  await page.getByText('Stopped', { exact: true }).waitFor({ timeout: 60_000 });
});

browserTest('items that complete later appear in the list of completed items', async () => {
  const catalog = await seedCatalog();
  const gate = randomUUID();
  const jobId = await catalog.start(await catalog.addColored(3, `[[provider: gate 1 ${gate}]]`));
  const page = await visit(`/o/${catalog.slug}/jobs/${jobId}?items=completed`, { userId: catalog.owner.id });
  await page.getByText('1 of 3').waitFor({ timeout: 60_000 });
  await page.getByRole('cell', { name: 'Completed' }).waitFor();
  await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  await page.getByRole('cell', { name: 'Completed' }).nth(2).waitFor({ timeout: 60_000 });
});

browserTest('items that complete while the list is read again show their end', async () => {
  const catalog = await seedCatalog();
  const gate = randomUUID();
  const jobId = await catalog.start(await catalog.addColored(3, `[[provider: gate 1 ${gate}]]`));
  const page = await visit(`/o/${catalog.slug}/jobs/${jobId}`, { userId: catalog.owner.id });
  await page.getByText('1 of 3').waitFor({ timeout: 60_000 });
  await page.getByRole('cell', { name: 'Completed' }).waitFor();
  const old = await holdAnswer(page, 'query JobItems');
  await page.getByRole('button', { name: 'Pause' }).click();
  await old.held;
  const isReadAgain = page.waitForRequest(runs('query JobItems'), { timeout: 60_000 });
  await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  await page.getByText('3 of 3').waitFor({ timeout: 60_000 });
  await old.release();
  await (await isReadAgain).response();
  await page.getByRole('cell', { name: 'Completed' }).nth(2).waitFor();
});

browserTest('brands are enriched by name, and the result is compared with its repetition', async () => {
  const catalog = await seedCatalog([{ ...color, subject: 'brand' }]);
  const page = await visit(`/o/${catalog.slug}/jobs/new?kind=brand-enrichment`, { userId: catalog.owner.id });
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Enter at least one name.').waitFor();
  await page.getByLabel('Names').fill('Norrvik\nTorvik\n\nNorrvik');
  await page.getByText('2 items cost at most').waitFor();
  await page.getByLabel('Also search the web').uncheck();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Repeat' }).click({ timeout: 60_000 });
  await page.getByRole('menuitem', { name: 'Budget model' }).click();
  await page.getByText('This costs at most 2 of your').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Repeat' }).click();
  await page.getByRole('link', { name: 'Compare both' }).click();
  await page.getByRole('heading', { level: 1, name: 'Comparison' }).waitFor();
  await page
    .getByText(/No differences|First job|Nothing to compare/)
    .first()
    .waitFor();
});

browserTest('a job is compared with its repetition item by item, also after the first hundred', async () => {
  const catalog = await seedCatalog();
  const first = await catalog.start(await catalog.addColored(1));
  await catalog.end(first);
  const rerun = 'mutation ($id: ID!) { rerunJob(jobId: $id, modelType: "budget-v1") { id } }';
  const second: string = (await catalog.api.graphql(rerun, { id: first })).rerunJob.id;
  await catalog.end(second);
  await addItems(first, 149, () => 'red');
  await addItems(second, 149, (nth) => (nth >= 90 ? `blue ${nth} ${hostile}` : 'red'));
  const page = await visit(`/o/${catalog.slug}/jobs/${second}/compare`, { userId: catalog.owner.id });
  await page.getByText('60 different values').waitFor();
  await page.getByRole('cell', { name: 'Item 90' }).waitFor();
  await page.getByRole('cell', { name: `blue 90 ${hostile}` }).waitFor();
  await photograph(page, 'comparison');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Page 2' }).click();
  await page.getByRole('cell', { name: 'Item 149' }).waitFor();
});

/** Completed items at the end of a job. */
const addItems = (jobId: string, count: number, colorOf: (nth: number) => string) =>
  database().query(
    `with added as (
       insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, label, status, enriched_data)
       select gen_random_uuid(), j.organization_id, j.id, n, n, 'Item ' || n, 'completed',
              jsonb_build_object('color', jsonb_build_object('attributeName', 'Color', 'attributeType', 'text', 'value', ($2::text[])[n]))
         from catalog.jobs j, generate_series(1, $3) n where j.id = $1 returning id)
     update catalog.jobs set total_count = total_count + (select count(*) from added) where id = $1`,
    [jobId, Array.from({ length: count }, (_, at) => colorOf(at + 1)), count],
  );

browserTest('two tabs follow the same job, and the start page names what needs a decision', async () => {
  const catalog = await seedCatalog();
  const products = await catalog.addColored(3);
  const page = await visit(`/o/${catalog.slug}`, { userId: catalog.owner.id });
  await page.getByText('No jobs yet').waitFor();
  const other = await page.context().newPage();
  await other.goto(`/o/${catalog.slug}/jobs`);
  await other.getByText('No jobs', { exact: true }).waitFor();
  await catalog.enrich(products);
  for (const tab of [page, other]) await tab.getByRole('link', { name: 'Product enrichment' }).waitFor();
  await page.getByRole('link', { name: /Values to review/ }).click();
  await page.getByText('3 open').waitFor();
});

browserTest('a rule that fills gaps says what it would cost, and is created, changed, paused and deleted', async () => {
  const catalog = await seedCatalog();
  await catalog.addColored(3);
  const page = await visit(`/o/${catalog.slug}/jobs`, { userId: catalog.owner.id });
  await page.getByRole('link', { name: 'Fill gaps automatically' }).click();
  await page.getByText('No rules yet').waitFor();
  await page.getByRole('button', { name: 'New rule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^Now: 3 products lack \d+ values\. Reading them costs at most 3 credits\.$/).waitFor();
  await dialog.getByRole('button', { name: 'New rule' }).click();
  await dialog.getByText('Required').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('Lamps');
  await dialog.getByLabel('Brand').fill('Nobody');
  await dialog.getByText('Now: no product has a gap that was not tried yet.').waitFor();
  await dialog.getByLabel('Each night (UTC)').uncheck();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'New rule' }).click();
  await page.getByRole('heading', { name: 'Lamps' }).waitFor();
  await page.getByText('0 of 100 credits of this month').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Brand').fill('');
  await dialog.getByLabel('Credits a month at most').fill('2');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('0 of 2 credits of this month').waitFor();
  await page.getByText('All products — ').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  await photograph(page, 'gap-rules');
  expect(await accessibilityFaults(page)).toEqual([]);
  const { gapRules } = await catalog.api.graphql('{ gapRules { name maxCredits paused triggers selection } }');
  expect(gapRules).toEqual([
    {
      ...{ name: 'Lamps', maxCredits: 2, paused: true, triggers: ['product-changed', 'attributes-changed'] },
      selection: { words: null, brand: null, category: null, parents: 'all', attributes: null },
    },
  ]);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No rules yet').waitFor();
});
