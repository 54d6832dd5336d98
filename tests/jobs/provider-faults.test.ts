import { randomUUID } from 'node:crypto';
import { seedCatalog } from '../support/enrichment.ts';

/** The provider fails this many times for this text, then succeeds. */
const faulty = (fault: string, times: number) => ({
  userProvidedRawDataSources: [`Color: red\n[[provider: ${fault} ${times} ${randomUUID()}]]`],
});

test.each([
  ['429', 3],
  ['500', 1],
  ['garbage', 1],
])('a request is retried after %s; the item is counted and charged once', async (fault, times) => {
  const { addProducts, enrich, balance, trace } = await seedCatalog(undefined, { credits: 10 });
  const { job, items } = await enrich(await addProducts([faulty(fault, times), faulty(fault, 0)]));
  expect(job).toMatchObject({ status: 'completed', processedCount: 2, successCount: 2, failedCount: 0 });
  expect(items.map(({ enrichedData }: { enrichedData: { color: { value: string } } }) => enrichedData.color.value)).toEqual([
    'red',
    'red',
  ]);
  expect(await balance()).toBe(8);
  expect(await trace(job.id)).toMatchObject({ items: 2, ended: 2, history: 2, charges: 2, refunds: 0, shown: 2, shownOnce: 2 });
});

test('a provider that never recovers fails the item after five attempts, at no cost', async () => {
  const { addProducts, enrich, balance, trace } = await seedCatalog(undefined, { credits: 10 });
  const { job, items } = await enrich(await addProducts([faulty('503', 99), faulty('503', 0)]));
  expect(job).toMatchObject({ status: 'completed_with_errors', successCount: 1, failedCount: 1, errorSummary: null });
  expect(items[0]).toMatchObject({ status: 'failed', cost: 0, enrichedData: null });
  expect(items[0].errorMessage).toBe('The model provider could not answer: it answered with status 503');
  expect(await balance()).toBe(9);
  expect(await trace(job.id)).toMatchObject({ ended: 2, history: 1, charges: 2, refunds: 1, shownOnce: 2 });
});

test('a request that the provider rejects is not retried', async () => {
  const { addProducts, enrich } = await seedCatalog();
  const { items } = await enrich(await addProducts([faulty('401', 1)]));
  expect(items[0]).toMatchObject({
    status: 'failed',
    errorMessage: 'The model provider does not accept requests of this service.',
  });
});
