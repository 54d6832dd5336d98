import { randomUUID } from 'node:crypto';
import { seedAgent } from '../agent/chat/chatting.ts';
import { openCatalog, openMarketplace, samples } from '../faults/kinds.ts';
import { openWorkerVictim, type WorkerVictim } from '../faults/system.ts';
import { startQueueingProvider } from '../support/queueing-provider.ts';
import { until } from '../support/until.ts';

const ANSWER_MS = 400;
/** Seconds after which a request gives up. */
const MODEL_TIMEOUT = 4;

const provider = await startQueueingProvider(ANSWER_MS);
let system: WorkerVictim;
beforeAll(async () => {
  const search = await openMarketplace();
  system = await openWorkerVictim({ OPENAI_BASE_URL: provider.url, MODEL_TIMEOUT: String(MODEL_TIMEOUT), SEARCH_URL: search.url });
});
afterAll(async () => {
  await system.close();
  await provider.close();
});

const seed = () => openCatalog(system.url, system.databaseUrl);
const red = (count: number) => Array.from({ length: count }, () => ({ userProvidedRawDataSources: ['Color: red'] }));

test('a server with one slot that queues answers all items of a job, and hardly a request is sent twice', async () => {
  const catalog = await seed();
  const ids = await catalog.addProducts(red(30));
  const { job } = await catalog.enrich(ids);
  expect(job).toMatchObject({ status: 'completed', successCount: 30, failedCount: 0 });
  expect(provider.counts.dropped).toBeLessThanOrEqual(1);
  expect(provider.counts.answered).toBeLessThanOrEqual(31);
});

test('jobs that begin at once share such a server by organization, and none of their items fails', async () => {
  const [large, small] = [await seed(), await seed()];
  const [many, few] = [await large.addProducts(red(40)), await small.addProducts(red(4))];
  const order: string[] = [];
  const run = async (name: string, { enrich }: typeof large, ids: string[]) => {
    const { job } = await enrich(ids);
    order.push(name);
    return job;
  };
  const jobs = await Promise.all([
    run('large', large, many.slice(0, 20)),
    run('large', large, many.slice(20)),
    run('small', small, few),
  ]);
  expect(jobs.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  expect(order[0]).toBe('small');
  expect(provider.counts.dropped).toBeLessThanOrEqual(2);
});

test('a chat gets its first token before the items of a job that wait', async () => {
  const catalog = await seed();
  const agent = await seedAgent(system.url, {}, { databaseUrl: system.databaseUrl });
  const jobId = await catalog.start(await catalog.addProducts(red(40)));
  await until(async () => (await catalog.job(jobId)).processedCount >= 4);
  const reply = await agent.ask('What is new?');
  expect(reply.isDone).toBe(true);
  // The question is embedded and then answered, each behind the few requests that the server has.
  const waits = provider.waitsOf('What is new?');
  expect(waits.length).toBeGreaterThan(0);
  expect(waits.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(12);
  expect((await catalog.job(jobId)).status).toBe('processing');
  expect(await catalog.end(jobId)).toMatchObject({ status: 'completed', successCount: 40 });
});

test('the requests of running items are cancelled at the provider when their job fails them', async () => {
  const sample = samples.find(({ kind }) => kind === 'product-market-analysis')!;
  const catalog = await openCatalog(system.url, system.databaseUrl, sample.attributes);
  const { answered, dropped } = provider.counts;
  provider.pause();
  const jobId = await sample.start(catalog, 2, `[[${randomUUID()}]]`);
  await until(async () => provider.counts.open > 0);
  await catalog.stop(jobId);
  const stoppedAt = performance.now();
  await until(async () => provider.counts.open === 0);
  // Otherwise the requests would end at their time limit, and be repeated.
  expect(performance.now() - stoppedAt).toBeLessThan(MODEL_TIMEOUT * 1_000);
  expect(provider.counts.dropped).toBeGreaterThan(dropped);
  expect(provider.counts.answered).toBe(answered);
  provider.resume();
  expect(await catalog.end(jobId)).toMatchObject({ status: 'stopped', successCount: 0 });
});
