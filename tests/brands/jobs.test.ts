import { sendFiles } from '../support/form.ts';
import { until } from '../support/until.ts';
import { labels, seedLabels } from './labels.ts';

const origin = { slug: 'origin', name: 'Origin', type: 'text' };
const unknown = '0199a000-0000-7000-8000-000000000000';

describe.each(labels)('$label enrichment jobs', (words) => {
  const { label, jobs, path, itemName, total, job: named, nameKeys, longestName, inProgress, noProducts } = words;

  test('values come from linked products, and the sources are named', async () => {
    const { addAttribute, addProducts, enrich, owner, post } = await seedLabels(words);
    const attributeId = await addAttribute(origin);
    const productIds = await addProducts(' NORRVIK ', [{ userProvidedRawDataSources: ['Origin: Sweden'] }]);
    const row = { zeta: '1.0', name: 'Norrvik', alpha: 'ä' };
    const { job, items } = await enrich([row], { fileName: 'list.csv', inputColumns: ['zeta', 'name', 'alpha'] });
    expect(job).toEqual({
      id: expect.any(String),
      status: 'completed',
      modelType: 'budget-v1',
      fileName: 'list.csv',
      useWebsearch: words.websearch,
      attributeSetId: null,
      inputColumns: ['zeta', 'name', 'alpha'],
      [total]: 1,
      processedCount: 1,
      successCount: 1,
      failedCount: 0,
      errorSummary: null,
      startedAt: expect.any(String),
      completedAt: expect.any(String),
      createdAt: expect.any(String),
      createdBy: { name: expect.any(String), email: owner.email },
    });
    expect(items).toEqual([
      {
        id: expect.any(String),
        jobId: job.id,
        rowIndex: 0,
        [itemName]: 'Norrvik',
        inputData: row,
        enrichedAttributes: { origin: { attributeId, attributeName: 'Origin', attributeType: 'text', value: 'Sweden' } },
        referenceData: { mode: 'products', productIds },
        status: 'completed',
        cost: 1,
        errorMessage: null,
        startedAt: expect.any(String),
        completedAt: expect.any(String),
      },
    ]);
    expect(Object.keys(items[0].inputData)).toEqual(['zeta', 'name', 'alpha']);
    const { body } = await post(`${jobs}/${job.id}/items/get`);
    expect(body.data).toMatchObject({ success: true, pagination: { page: 1, limit: 50, total: 1, totalPages: 1 } });
    expect(body.data.job).toEqual({
      id: job.id,
      modelType: 'budget-v1',
      fileName: 'list.csv',
      inputColumns: ['zeta', 'name', 'alpha'],
      [total]: 1,
      processedCount: 1,
      successCount: 1,
      failedCount: 0,
      status: 'completed',
      errorSummary: null,
    });
    expect((await post(`${path}/check`, { name: 'norrvik' })).body.data.exists).toBe(true);
  });

  test('uploaded files are read in addition to the products', async () => {
    const { addAttribute, addProducts, enrich, start, slug, key } = await seedLabels(words);
    await addAttribute(origin);
    await addProducts('Norrvik', [{}]);
    const list = { name: 'makers.csv', type: 'text/csv', content: 'Maker,Origin\nAcme,Norway\nNorrvik,Sweden\n' };
    const { uploadedFileIds } = (await sendFiles({ slug, key }, '/enrichment-files/upload', [list])).body;
    const { items } = await enrich([{ name: 'Norrvik' }], { uploadedFileIds });
    expect(items[0]).toMatchObject({ enrichedAttributes: { origin: { value: 'Sweden' } }, referenceData: { mode: 'products' } });
    expect(await start([{ name: 'Norrvik' }], { uploadedFileIds: [unknown] })).toMatchObject({
      status: 404,
      body: { success: false, message: 'File not found', missingIds: [unknown] },
    });
  });

  test('at most ten products are read', async () => {
    const { addAttribute, addProducts, enrich } = await seedLabels(words);
    await addAttribute(origin);
    const ids = await addProducts('Norrvik', Array(12).fill({ userProvidedRawDataSources: ['Origin: Sweden'] }));
    const { items } = await enrich([{ name: 'Norrvik' }]);
    expect(items[0].referenceData.productIds).toEqual(ids.slice(0, 10));
  });

  test('without products and without web search the item fails, as documented', async () => {
    const { addAttribute, enrich, post } = await seedLabels(words);
    await addAttribute(origin);
    const { job, items } = await enrich([{ name: 'Nobody' }], { useWebsearch: false });
    expect(job).toMatchObject({ status: 'completed_with_errors', successCount: 0, failedCount: 1, errorSummary: noProducts });
    expect(items[0]).toMatchObject({ status: 'failed', errorMessage: noProducts, referenceData: null, cost: 0 });
    expect(items[0]).not.toHaveProperty('enrichedAttributes');
    expect((await post(`${path}/check`, { name: 'Nobody' })).body.data.exists).toBe(false);
    const { history, pagination } = (await post(`${path}/enrichment-history`, { name: 'NOBODY' })).body.data;
    expect(pagination.total).toBe(1);
    expect(history[0]).toMatchObject({ [itemName]: 'Nobody', status: 'failed', errorMessage: noProducts });
  });

  test('without products and attributes, the error names the missing products', async () => {
    const { enrich } = await seedLabels(words);
    const { items } = await enrich([{ name: 'Nobody' }], { useWebsearch: false });
    expect(items[0]).toMatchObject({ status: 'failed', errorMessage: noProducts });
  });

  test('the history is newest first, and the model gets the latest values if the job requests it', async () => {
    const { addAttribute, addProducts, enrich, post, api, slug } = await seedLabels(words);
    await addAttribute(origin);
    const [product] = await addProducts('Norrvik', [{ userProvidedRawDataSources: ['Origin: Sweden'] }]);
    const first = await enrich([{ name: 'Norrvik' }]);
    const silent = { sku: 'P1', name: 'Product 1', [label]: 'norrvik', userProvidedRawDataSources: ['Nothing.'] };
    await api.post(`/api/${slug}/products/${product}/update`, silent);
    const without = await enrich([{ name: 'Norrvik' }], { includeExistingAttributes: false });
    expect(without.items[0]).toMatchObject({ status: 'failed', errorMessage: 'Insufficient product data' });
    const second = await enrich([{ name: 'norrvik' }]);
    expect(second.items[0].enrichedAttributes.origin.value).toBe('Sweden');

    const { history } = (await post(`${path}/enrichment-history`, { name: 'Norrvik' })).body.data;
    expect(history.map(({ id }: { id: string }) => id)).toEqual([second, without, first].map(({ items }) => items[0].id));
    const shared = { referenceData: { mode: 'products', productIds: [product] }, modelType: 'budget-v1', status: 'completed' };
    const { id, enrichedAttributes, completedAt } = first.items[0];
    expect(history[2]).toEqual({
      ...shared,
      id,
      [itemName]: 'Norrvik',
      ...(label === 'brand' && { enrichedAttributes }),
      completedAt,
      createdAt: expect.any(String),
      errorMessage: null,
    });
  });

  test('the first key that is not blank names a row, and a row without a name is rejected with its index', async () => {
    const { addAttribute, enrich, start } = await seedLabels(words);
    await addAttribute(origin);
    const rows = nameKeys.map((key, at) => ({
      ...Object.fromEntries(nameKeys.map((each, place) => [each, place < at ? '  ' : `${each} of ${key}`])),
    }));
    const { items } = await enrich([...rows, { [nameKeys[0]]: 3 }], { useWebsearch: false });
    expect(items.map((item: Record<string, string>) => item[itemName])).toEqual([
      ...nameKeys.map((key) => `${key} of ${key}`),
      '3',
    ]);
    const refused = await start([{ name: 'Norrvik' }, { name: ' ', title: 'Acme' }]);
    expect(refused).toMatchObject({ status: 400, body: { success: false } });
    expect(refused.body.message).toBe(`Invalid request body: rows[1] needs a value that is not blank under ${nameKeys.join(', ')}`);
    expect((await start([{ name: 'x'.repeat(longestName + 1) }])).body.message).toContain('rows[0] has a name of more than');
  });

  test('the limits of the body are enforced', async () => {
    const { start, post } = await seedLabels(words);
    const rows = [{ name: 'Norrvik' }];
    const refusals = await Promise.all([
      start([]),
      start(Array(2_001).fill(rows[0])),
      start(rows, { fileName: 'x'.repeat(256) }),
      start(rows, { modelType: 'best' }),
      start(['Norrvik' as never]),
      post(`${jobs}/create`, { rows }),
      post(`${jobs}/create`, { inputColumns: ['name'] }),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 400));
    expect(refusals.every(({ body }) => body.message.startsWith('Invalid request body: '))).toBe(true);
    expect((await start(rows, { attributeSetId: unknown })).status).toBe(404);
  });

  test('only one job runs at a time, even after concurrent requests', async () => {
    const { addAttribute, addProducts, start, post, end } = await seedLabels(words);
    await addAttribute(origin);
    await addProducts('Norrvik', [{ userProvidedRawDataSources: ['Origin: Sweden [[provider: slow 300]]'] }]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => start([{ name: 'Norrvik' }])));
    const [started, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect(started!.body).toEqual({
      success: true,
      data: { success: true, message: `${named} created successfully`, jobId: expect.any(String) },
    });
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.map(({ status, body }) => ({ status, body }))).toEqual(
      others.map(() => ({ status: 409, body: { success: false, message: inProgress } })),
    );
    await end(started!.body.data.jobId);
    expect((await start([{ name: 'Norrvik' }])).status).toBe(200);
    expect((await post(`${jobs}/get`)).body.data).toMatchObject({ success: true, pagination: { limit: 20, total: 2 } });
  });

  test('no job starts without credits, and remaining items fail when credits run out', async () => {
    const poor = await seedLabels(words, { credits: 0 });
    expect(await poor.start([{ name: 'Norrvik' }])).toMatchObject({
      status: 402,
      body: { success: false, message: 'Credit limit reached. Please top up your credits to start a new enrichment job.' },
    });
    const { addAttribute, addProducts, enrich } = await seedLabels(words, { credits: 2 });
    await addAttribute(origin);
    await addProducts('Norrvik', [{ userProvidedRawDataSources: ['Origin: Sweden'] }]);
    const { job, items } = await enrich(Array(4).fill({ name: 'Norrvik' }));
    expect(job).toMatchObject({
      status: 'completed_with_errors',
      successCount: 2,
      failedCount: 2,
      errorSummary: 'Credit balance limit has been reached.',
    });
    const failed = items.filter(({ status }: { status: string }) => status === 'failed');
    expect(failed.map(({ errorMessage }: { errorMessage: string }) => errorMessage)).toEqual(
      Array(2).fill('Credit balance limit has been reached.'),
    );
  });

  test('a job stops once; waiting and running items fail immediately at no charge', async () => {
    const { addAttribute, addProducts, start, post, end, balance } = await seedLabels(words);
    await addAttribute(origin);
    await addProducts('Norrvik', [{ userProvidedRawDataSources: ['Origin: Sweden [[provider: slow 3000]]'] }]);
    const before = await balance();
    const { jobId } = (await start(Array(8).fill({ name: 'Norrvik' }))).body.data;
    const items = async () => (await post(`${jobs}/${jobId}/items/get`)).body.data.items;
    await until(async () => (await items()).some(({ status }: { status: string }) => status === 'processing'));
    expect((await post(`${jobs}/${jobId}/stop`)).body).toEqual({
      success: true,
      message: `${named} stopped successfully`,
      data: { jobId, status: 'stopped' },
    });
    const stopped = { status: 'failed', errorMessage: 'Job was stopped by user', cost: 0, completedAt: expect.any(String) };
    expect(await items()).toMatchObject(Array(8).fill(stopped));
    expect((await end(jobId)).job).toMatchObject({ status: 'stopped', processedCount: 8, successCount: 0, failedCount: 8 });
    expect(await balance()).toBe(before);
    // Late model responses of running items are dropped, and the next job does not wait for them.
    await addProducts('Other', [{ userProvidedRawDataSources: ['Origin: Norway [[provider: slow 4000]]'] }]);
    await end((await start([{ name: 'Other' }])).body.data.jobId);
    expect(await items()).toMatchObject(Array(8).fill(stopped));
    expect(await balance()).toBe(before - 1);
    const again = await post(`${jobs}/${jobId}/stop`);
    expect(again).toMatchObject({ status: 400, body: { message: 'Job cannot be stopped because it is not in progress' } });
    expect(await post(`${jobs}/${unknown}/stop`)).toMatchObject({
      status: 404,
      body: { success: false, message: 'Job not found' },
    });
    expect((await post(`${jobs}/${unknown}/items/get`)).status).toBe(404);
  });

  test('a job of another organization, and of another kind, is not found', async () => {
    const mine = await seedLabels(words);
    await mine.addAttribute(origin);
    const { job } = await mine.enrich([{ name: 'Norrvik' }], { useWebsearch: false });
    const theirs = await seedLabels(words);
    expect((await theirs.post(`${jobs}/${job.id}/items/get`)).status).toBe(404);
    expect((await theirs.download(job.id)).status).toBe(404);
    const [other] = labels.filter((each) => each.label !== label);
    expect((await mine.post(`${other!.jobs}/${job.id}/items/get`)).status).toBe(404);
  });
});

test('the rows of a brand job are at most 8 MB', async () => {
  const { start } = await seedLabels(labels[0]);
  const answer = await start([{ name: 'Norrvik', text: 'x'.repeat(8 * 1024 * 1024) }]);
  expect(answer).toMatchObject({ status: 400, body: { message: 'Invalid request body: rows must be at most 8 MB' } });
});
