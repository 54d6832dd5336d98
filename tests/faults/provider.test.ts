import { randomUUID } from 'node:crypto';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { runningItems } from './invariants.ts';
import { type Catalog, openCatalog, openMarketplace, samples } from './kinds.ts';
import { openWorkerVictim, type WorkerVictim } from './system.ts';

const enrichment = samples[0]!;
const NO_ANSWER = 'The model provider could not answer: it did not answer in time';

let victims: WorkerVictim;
/** Its five attempts take over a minute, so start it first and check it last. */
let worsening: { catalog: Catalog; jobId: string };

beforeAll(async () => {
  victims = await openWorkerVictim({ MODEL_TIMEOUT: '1', SEARCH_URL: (await openMarketplace()).url });
  const catalog = await seed();
  const ids = await catalog.addProducts(
    ['worse 9', 'hang 9', 'hang 0'].map((fault) => ({
      userProvidedRawDataSources: [`Color: red\n[[provider: ${fault} ${randomUUID()}]]`],
    })),
  );
  worsening = { catalog, jobId: await catalog.start(ids) };
});
afterAll(() => victims.close());

const seed = () => openCatalog(victims.url, victims.databaseUrl);
const hanging = (times: number) => `[[provider: hang ${times} ${randomUUID()}]]`;

test('a request to a hanging provider is retried after MODEL_TIMEOUT', async () => {
  const catalog = await seed();
  const { job, items } = await catalog.enrich(await catalog.addColored(1, hanging(1)));
  expect(job).toMatchObject({ status: 'completed', successCount: 1 });
  expect(items[0].enrichedData.color.value).toBe('red');
  expect(await catalog.trace(job.id)).toMatchObject({ history: 1, charges: 1, refunds: 0, shownOnce: 1 });
});

test.each(samples)('stopping $kind while the provider hangs ends it after the running attempts', async (sample) => {
  const catalog = await openCatalog(victims.url, victims.databaseUrl, sample.attributes);
  const count = sample.width + 3;
  const jobId = await sample.start(catalog, count, hanging(1_000));
  await catalog.jobWhen(jobId, ({ status }) => status === 'processing');
  await until(async () => (await runningItems(jobId, victims.databaseUrl)) > 0);
  await catalog.stop(jobId);
  expect(await catalog.end(jobId)).toMatchObject({ status: 'stopped', processedCount: count, successCount: 0, failedCount: count });
  const reasons = await database(victims.databaseUrl).query(
    'select distinct error_message as reason from catalog.job_items where job_id = $1',
    [jobId],
  );
  for (const { reason } of reasons.rows) expect(reason).toMatch(reason === 'Job was stopped by user' ? /./ : NO_ANSWER);
  expect(await catalog.balance()).toBe(catalog.credits);
});

test('a provider that answers 429, then garbage, then hangs fails only its own item', async () => {
  const { catalog, jobId } = worsening;
  // Longer than the delays of five attempts on a busy machine.
  await until(async () => (await catalog.job(jobId)).status !== 'processing');
  expect(await catalog.end(jobId)).toMatchObject({ status: 'completed_with_errors', successCount: 1, failedCount: 2 });
  const [worse, hung, good] = await catalog.items(jobId);
  for (const item of [worse, hung]) {
    expect(item).toMatchObject({ status: 'failed', cost: 0, enrichedData: null, errorMessage: expect.stringMatching(NO_ANSWER) });
  }
  expect(good).toMatchObject({ status: 'completed', cost: 1 });
  expect(await catalog.balance()).toBe(catalog.credits - enrichment.price);
});
