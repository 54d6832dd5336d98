import { Client, Connection } from '@temporalio/client';
import { forgetEvidence } from '../../subgraphs/catalog/enrichment/sources.ts';
import { openWorkerVictim, type WorkerVictim } from '../faults/system.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';

const RERUN = 'mutation ($jobId: ID!) { rerunJob(jobId: $jobId, modelType: "pro-v1") { id } }';
const KILO = 1_000;

let own: WorkerVictim;
beforeAll(async () => {
  own = await openWorkerVictim();
});
afterAll(() => own.close());

const pool = () => database(own.databaseUrl);

/** An organization with enriched products, each with a separate text of about this size and a common name. */
async function open(count: number, bytes = 100) {
  const catalog = await seedCatalog(undefined, { url: own.url, databaseUrl: own.databaseUrl });
  const padding = 'x'.repeat(bytes);
  const sources = Array.from({ length: count }, (_, at) => ({
    name: 'A',
    userProvidedRawDataSources: [`Color: red\n${at} ${padding}`],
  }));
  const ids = await catalog.addProducts(sources);
  const { job } = await catalog.enrich(ids);
  const texts = async () =>
    (
      await pool().query('select text, bytes, used_at from catalog.source_texts where organization_id = $1 order by used_at', [
        catalog.id,
      ])
    ).rows;
  return {
    ...catalog,
    job,
    texts,
    /** Products with stored sources. */
    async kept(): Promise<string[]> {
      const query = 'select distinct product_id from catalog.item_sources where job_id = $1';
      const { rows } = await pool().query(query, [job.id]);
      return ids.filter((id) => rows.some(({ product_id }) => product_id === id));
    },
    ids,
    /** Age the text of one product. */
    age: (at: number, interval: string) =>
      pool().query(
        `update catalog.source_texts set used_at = now() - $3::interval where organization_id = $1 and text like 'Color: red' || chr(10) || $2 || ' %'`,
        [catalog.id, String(at), interval],
      ),
  };
}

test('sources without a read for 90 days are deleted, with all sources of their items', async () => {
  const { age, kept, ids, texts } = await open(3);
  await age(1, '91 days');
  await age(2, '89 days');
  expect(await forgetEvidence(pool())).toBe(1);
  expect(await kept()).toEqual([ids[0], ids[2]]);
  // The common name of the products remains.
  expect((await texts()).map(({ text }) => text)).toEqual(expect.arrayContaining(['A']));
  expect(await texts()).toHaveLength(3);
});

test('above the limit of an organization its oldest sources are deleted, and no others', async () => {
  const { age, kept, ids, texts } = await open(5, 10 * KILO);
  const other = await open(2, 10 * KILO);
  for (const at of ids.keys()) await age(at, `${10 - at} minutes`);
  expect(await forgetEvidence(pool(), { days: 90, bytes: 31 * KILO })).toBe(2);
  expect(await kept()).toEqual(ids.slice(2));
  expect((await texts()).reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(31 * KILO);
  expect(await other.kept()).toEqual(other.ids);
  expect(await forgetEvidence(pool(), { days: 90, bytes: 31 * KILO })).toBe(0);
});

test('a text that is read again after the size limit has selected it is not deleted', async () => {
  const { id: organizationId, age, kept, ids } = await open(2, 10 * KILO);
  for (const at of ids.keys()) await age(at, `${10 - at} minutes`);
  const connect = async () => {
    const connection = await pool().connect();
    const query = async (text: string, values?: unknown[]) => {
      if (!text.includes('over (')) return connection.query(text, values);
      // A cursor keeps the snapshot of its declaration, so the text is read between the snapshot and the lock.
      await connection.query(`declare selected cursor for ${text.replace(/\$(\d)/g, (_, at) => String(values![at - 1]))}`);
      await pool().query('update catalog.source_texts set used_at = now() where organization_id = $1', [organizationId]);
      return connection.query('fetch all from selected');
    };
    return Object.assign(Object.create(connection), { query });
  };
  await forgetEvidence({ connect } as never, { days: 90, bytes: 11 * KILO });
  expect(await kept()).toEqual(ids);
});

test('a re-run reads an item with deleted sources again', async () => {
  const { api, job, age, end } = await open(2);
  await age(0, '91 days');
  await forgetEvidence(pool());
  const { rerunJob } = await api.graphql(RERUN, { jobId: job.id });
  expect(await end(rerunJob.id)).toMatchObject({ status: 'completed', successCount: 2 });
});

test('reading a text resets its age', async () => {
  const { age, ids, enrich, texts } = await open(1);
  await age(0, '89 days');
  await enrich(ids);
  const days = (await texts()).map(({ used_at }) => (Date.now() - used_at.getTime()) / 86_400_000);
  expect(days).toHaveLength(2);
  expect(Math.max(...days)).toBeLessThan(1);
});

test('sources of a running item are not deleted, or are restored', async () => {
  const { id: organizationId, age } = await open(1);
  await age(0, '91 days');
  const holder = await pool().connect();
  try {
    await holder.query('begin');
    await holder.query('select from catalog.source_texts where organization_id = $1 for key share', [organizationId]);
    expect(await forgetEvidence(pool())).toBe(0);
    await holder.query('commit');
  } finally {
    holder.release();
  }
  expect(await forgetEvidence(pool())).toBe(1);
});

test('texts that are deleted while many items read them stay complete', async () => {
  const { ids, start, end, id: organizationId } = await open(30);
  const jobs = await Promise.all([start(ids), start(ids), start(ids)]);
  let ended = false;
  const ending = Promise.all(jobs.map((id) => end(id))).finally(() => (ended = true));
  while (!ended) await forgetEvidence(pool(), { days: 90, bytes: 0 });
  for (const job of await ending) expect(job).toMatchObject({ status: 'completed', successCount: 30 });
  const { rows } = await pool().query(
    `select count(*)::int from catalog.item_sources s left join catalog.source_texts t using (organization_id, hash)
      where s.organization_id = $1 and t.hash is null`,
    [organizationId],
  );
  expect(rows).toEqual([{ count: 0 }]);
});

test('a schedule deletes old sources every hour', async () => {
  const { age, kept } = await open(1);
  await age(0, '91 days');
  const connection = await Connection.connect({ address: process.env.TEST_TEMPORAL_ADDRESS! });
  const sweep = new Client({ connection }).schedule.getHandle(`evidence/${own.taskQueue}`);
  expect((await sweep.describe()).spec.intervals).toMatchObject([{ every: 60 * 60_000 }]);
  await sweep.trigger();
  await until(async () => (await kept()).length === 0);
  await connection.close();
});
