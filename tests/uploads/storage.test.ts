import { type Database, openDatabase } from '../../platform/database/database.ts';
import { deleteUnusedFiles } from '../../platform/files/file-expiry.ts';
import { identityTables } from '../../platform/identity/tables.ts';
import { webhookTables } from '../../platform/webhooks/tables.ts';
import { environment } from '../../schema/environment.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { type Catalog, openCatalog, refused } from '../catalog/catalog.ts';
import { createAttribute, ended, startJob } from '../catalog/enrichment.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { csv, png, sendForm, upload } from './files.ts';

const QUOTA = Number(environment.FILE_QUOTA.default);
const LIMIT = refused(
  400,
  'File storage limit reached. The files of an organization can take up to 10240 MB. Delete unused files first.',
);
const DELETE = 'mutation ($id: ID!) { deleteUploadedFile(id: $id) { id deleted } }';

/** An open job with these files. */
const JOB = `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, uploaded_file_ids)
  values (gen_random_uuid(), $1, 'ai-import', 'pending', 'budget-v1', 0, gen_random_uuid(), $2)`;
const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%catalog.files%for update%'`;

let catalog: Catalog;
beforeEach(async () => {
  catalog = await openCatalog();
});

const list = csv('SKU,Colour\nA-1,red\n');
/** An image of this many bytes. */
const image = (bytes: number) => ({ ...png, content: Buffer.concat([png.content as Buffer, Buffer.alloc(bytes)], bytes) });
const store = async (file = list): Promise<string> => (await upload(catalog, file)).body.uploadedFileIds[0];
const run = (statement: string, ...values: unknown[]) => database().query(statement, values);
const storage = async () => (await catalog.graphql('{ fileStorage { bytes limit retentionDays } }')).fileStorage;
const stored = async (): Promise<number> => {
  const sum = 'select coalesce(sum(bytes + page_bytes), 0)::float8 as bytes from catalog.files where organization_id = $1';
  return (await run(sum, catalog.organization.id)).rows[0].bytes;
};
/** Let the organization use its quota up to so many bytes. */
const leave = async (bytes: number) => {
  const usage = `insert into catalog.file_usage (organization_id, bytes) values ($1, $2)
    on conflict (organization_id) do update set bytes = excluded.bytes`;
  await run(usage, catalog.organization.id, QUOTA - bytes);
};

test('the storage of the files is counted with their pages, and returned when they are deleted', async () => {
  expect(await storage()).toEqual({ bytes: 0, limit: QUOTA, retentionDays: 180 });
  const id = await store();
  const { bytes } = await storage();
  expect(bytes).toBe(await stored());
  expect(bytes).toBeGreaterThan(String(list.content).length);
  expect((await catalog.graphql(DELETE, { id })).deleteUploadedFile).toEqual({ id, deleted: true });
  expect((await storage()).bytes).toBe(0);
  expect(await catalog.refusal(DELETE, { id })).toEqual({ code: 'NOT_FOUND', message: 'File not found' });
});

test('concurrent uploads never exceed the quota together', async () => {
  await leave(3 * 10_000 + 1_000);
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload(catalog, image(10_000))));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  for (const answer of answers) if (answer.status !== 200) expect(answer).toEqual(LIMIT);
  expect((await storage()).bytes).toBe(QUOTA - 31_000 + (await stored()));
});

test('a form whose last file exceeds the quota stores nothing', async () => {
  await leave(15_000);
  expect(await upload(catalog, image(10_000), image(10_000))).toEqual(LIMIT);
  expect(await sendForm(catalog, '/ai-import-jobs/create', [image(20_000)])).toEqual(LIMIT);
  expect(await stored()).toBe(0);
  expect((await storage()).bytes).toBe(QUOTA - 15_000);
});

test('pages that exceed the quota refuse the upload', async () => {
  const rows = Array.from({ length: 2_000 }, (_, at) => `A-${at},${Math.sin(at)}`).join('\n');
  const large = csv(`SKU,Number\n${rows}`);
  await leave(large.content.length + 1_000);
  expect(await upload(catalog, large)).toEqual(LIMIT);
  await until(async () => (await stored()) === 0);
});

test('a file is not deleted while a job uses it; later jobs run without it', async () => {
  await createAttribute(catalog);
  const [used, other] = [await store(), await store()];
  const product = await catalog.create({ sku: 'A-1' });
  const job = await startJob(catalog, [product], { uploadedFileIds: [used, other] });
  await ended(catalog, job);
  await run(`update catalog.jobs set status = 'processing' where id = $1`, job);
  expect(await catalog.refusal(DELETE, { id: used })).toMatchObject({ code: 'CONFLICT' });
  await run(`update catalog.jobs set status = 'completed' where id = $1`, job);
  await catalog.graphql(DELETE, { id: used });
  const shown = await catalog.graphql('query ($id: ID!) { job(id: $id) { uploadedFiles { id } } }', { id: job });
  expect(shown.job.uploadedFiles).toEqual([{ id: other }]);
  const rerun = 'mutation ($id: ID!) { rerunJob(jobId: $id, modelType: "budget-v1") { id uploadedFiles { id } } }';
  const { rerunJob } = await catalog.graphql(rerun, { id: job });
  expect(rerunJob.uploadedFiles).toEqual([{ id: other }]);
  expect(await ended(catalog, rerunJob.id)).toBe('completed');
});

test('files of another organization cannot be deleted', async () => {
  const id = await store();
  expect(await (await openCatalog()).refusal(DELETE, { id })).toMatchObject({ code: 'NOT_FOUND' });
});

describe('retention', () => {
  const DAYS = 300;
  let own: Database;
  beforeAll(async () => {
    own = await openDatabase(process.env.TEST_DATABASE_URL!, [identityTables, webhookTables, catalogTables]);
  });
  afterAll(() => own.close());

  const sweep = () => deleteUnusedFiles(own.orm, DAYS);
  const left = async () => (await run('select id from catalog.files where organization_id = $1', catalog.organization.id)).rows;
  const ageFiles = () =>
    run(`update catalog.files set used_at = now() - interval '400 days' where organization_id = $1`, catalog.organization.id);

  test('files end when no job used them for long', async () => {
    await createAttribute(catalog);
    const [used, open, recent] = [await store(), await store(), await store()];
    await store();
    const product = await catalog.create({ sku: 'A-1' });
    const jobs = [await startJob(catalog, [product], { uploadedFileIds: [used] })];
    await ended(catalog, jobs[0]!);
    jobs.push(await startJob(catalog, [product], { uploadedFileIds: [open] }));
    await ended(catalog, jobs[1]!);
    await ageFiles();
    await run('update catalog.files set used_at = now() where id = $1', recent);
    await run(
      `update catalog.jobs set status = 'processing', completed_at = null, created_at = now() - interval '500 days' where id = $1`,
      jobs[1],
    );

    expect(await sweep()).toBe(1);
    expect((await left()).map(({ id }) => id).sort()).toEqual([used, open, recent].sort());
    // The uses count from the end of the job, and for a whole period.
    expect(await sweep()).toBe(0);
    await ageFiles();
    await run(
      `update catalog.jobs set status = 'completed', completed_at = now() - interval '301 days' where id = any($1::uuid[])`,
      jobs,
    );
    expect(await Promise.all([sweep(), sweep()]).then(([a, b]) => a + b)).toBe(3);
    expect(await left()).toEqual([]);
    expect((await storage()).bytes).toBe(0);
  });

  test('neither a member nor the sweep deletes a file of a job that is being created', async () => {
    const id = await store();
    await ageFiles();
    const creation = await database().connect();
    await creation.query('begin');
    await creation.query('select 1 from catalog.files where id = $1 for key share', [id]);
    expect(await sweep()).toBe(0);
    const refusal = catalog.refusal(DELETE, { id });
    await until(async () => (await run(WAITING)).rows.length > 0);
    await creation.query(JOB, [catalog.organization.id, [id]]);
    await creation.query('commit');
    creation.release();
    expect(await refusal).toEqual({ code: 'CONFLICT', message: 'A job that has not ended uses the file.' });
    expect(await sweep()).toBe(0);
    expect(await left()).toEqual([{ id }]);
  });

  test('many used files do not keep the sweep from others', async () => {
    const files = `insert into catalog.files (organization_id, name, mime, ready, created_by_id)
      select $1, 'a.csv', 'text/csv', true, gen_random_uuid() from generate_series(1, 30) returning id`;
    const ids = (await run(files, catalog.organization.id)).rows.map(({ id }) => id);
    await ageFiles();
    await run(JOB, catalog.organization.id, ids.slice(0, 25));
    expect(await sweep()).toBe(5);
    expect(await left()).toHaveLength(25);
  });
});
