import { seedCatalog } from '../support/enrichment.ts';

const LIMIT = 'Credit balance limit has been reached.';

test('each item is charged once, by tier, with a ledger entry', async () => {
  const { addColored, enrich, ledger, balance } = await seedCatalog(undefined, { credits: 100 });
  const ids = await addColored(3);
  const budget = await enrich(ids);
  const pro = await enrich(ids, { modelType: 'pro-v1' });
  const charge =
    (cost: number) =>
    ({ id }: { id: string }) => ({ reference: `item:${id}`, amount: -cost });
  const expected = [...budget.items.map(charge(1)), ...pro.items.map(charge(5))];
  expect((await ledger()).sort(byReference)).toEqual(expected.sort(byReference));
  expect(budget.items.concat(pro.items).map(({ cost }: { cost: number }) => cost)).toEqual([1, 1, 1, 5, 5, 5]);
  expect(await balance()).toBe(82);
});

test('a failed item gets its credits back', async () => {
  const { addProducts, addColored, enrich, ledger, balance } = await seedCatalog(undefined, { credits: 10 });
  const silent = await addProducts([{ userProvidedRawDataSources: ['n/a'] }]);
  const { items } = await enrich([...silent, ...(await addColored(1))]);
  expect(items.map(({ cost }: { cost: number }) => cost)).toEqual([0, 1]);
  expect(await ledger()).toContainEqual({ reference: `refund:item:${items[0].id}`, amount: 1 });
  expect(await balance()).toBe(9);
});

test('when credits run out, the job fails the remaining items with the documented message', async () => {
  const { addColored, enrich, ledger, balance } = await seedCatalog(undefined, { credits: 7.5 });
  const { job, items } = await enrich(await addColored(40));
  expect(job).toMatchObject({
    status: 'completed_with_errors',
    totalCount: 40,
    processedCount: 40,
    successCount: 7,
    failedCount: 33,
    errorSummary: LIMIT,
  });
  const failed = items.filter(({ status }: { status: string }) => status === 'failed');
  expect(failed).toHaveLength(33);
  expect(new Set(failed.map(({ errorMessage }: { errorMessage: string }) => errorMessage))).toEqual(new Set([LIMIT]));
  expect(failed.every(({ cost }: { cost: number }) => cost === 0)).toBe(true);
  expect(await balance()).toBe(0.5);
  expect(await ledger()).toHaveLength(7);
});

test('concurrent jobs never exceed the balance', async () => {
  const { addColored, start, end, balance, ledger } = await seedCatalog(undefined, { credits: 25 });
  const ids = await addColored(20);
  const jobs = await Promise.all([start(ids), start(ids), start(ids)]);
  const ended = await Promise.all(jobs.map((id) => end(id)));
  expect(ended.reduce((sum, { successCount }) => sum + successCount, 0)).toBe(25);
  expect(await balance()).toBe(0);
  expect((await ledger()).reduce((sum, { amount }) => sum + amount, 0)).toBe(-25);
});

test('without credits no job starts', async () => {
  const { addColored, api, slug } = await seedCatalog(undefined, { credits: 0 });
  const productIds = await addColored(1);
  expect(await api.post(`/api/${slug}/product-enrichment-jobs/create`, { productIds, modelType: 'budget-v1' })).toMatchObject({
    status: 402,
    body: { success: false, message: 'Credit limit reached. Please top up your credits to start a new enrichment job.' },
  });
});

const byReference = (a: { reference: string }, b: { reference: string }) => a.reference.localeCompare(b.reference);
