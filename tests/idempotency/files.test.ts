import { randomUUID } from 'node:crypto';
import { sendFiles } from '../support/form.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { csv, png, type Sent } from '../uploads/files.ts';

const list = csv('SKU,Name\nM-1,Mug\n');
const fields = { modelType: 'budget-v1', prompt: 'Every product there is' };

async function open(path: string) {
  const organization = await seedOrganization();
  const headers = { 'idempotency-key': randomUUID() };
  const count = async (table: string): Promise<number> =>
    (await database().query(`select count(*)::int from catalog.${table} where organization_id = $1`, [organization.id])).rows[0]
      .count;
  return {
    send: (files: Sent[], given: Record<string, string> = {}) => sendFiles(organization, path, files, { fields: given, headers }),
    count,
    /** Remaining files after those of a repeated request are removed. */
    expectFiles: (wanted: number) => until(async () => (await count('files')) === wanted),
  };
}

test('a repeated import of the same files returns the first result, and starts and stores nothing', async () => {
  const { send, count, expectFiles } = await open('/ai-import-jobs/create');
  const first = await send([list, png], fields);
  expect(first).toMatchObject({ status: 200, body: { data: { totalFiles: 2 } } });
  expect(await send([list, png], fields)).toEqual(first);
  expect(await count('jobs')).toBe(1);
  await expectFiles(2);
});

test('concurrent imports of the same file start one job and return the same result', async () => {
  const { send, count, expectFiles } = await open('/ai-import-jobs/create');
  const answers = await Promise.all(Array.from({ length: 5 }, () => send([list], fields)));
  expect(answers[0]!.status).toBe(200);
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(await count('jobs')).toBe(1);
  await expectFiles(1);
});

test('a repeated upload returns the ids of the first', async () => {
  const { send, expectFiles } = await open('/enrichment-files/upload');
  const broken = { ...png, content: 'no picture' };
  const first = await send([list, broken]);
  expect(first.body).toMatchObject({ success: false, uploadedFileIds: [expect.any(String)], errors: [{ fileName: png.name }] });
  expect(await send([list, broken])).toEqual(first);
  await expectFiles(1);
});

test.each<[string, Sent[], Record<string, string>]>([
  ['another content', [csv('SKU,Name\nM-2,Mug\n')], fields],
  ['another name', [{ ...list, name: 'other.csv' }], fields],
  ['one more file', [list, png], fields],
  ['another field', [list], { ...fields, modelType: 'pro-v1' }],
])('%s under the same key is 422 and is not stored', async (_, files, given) => {
  const { send, count, expectFiles } = await open('/ai-import-jobs/create');
  await send([list], fields);
  expect(await send(files, given)).toMatchObject({ status: 422, body: { success: false } });
  expect(await count('jobs')).toBe(1);
  await expectFiles(1);
});

test('a rejected import is not stored', async () => {
  const { send } = await open('/ai-import-jobs/create');
  const broken = { ...png, content: 'no picture' };
  expect((await send([broken], fields)).status).toBe(400);
  expect((await send([list], fields)).status).toBe(200);
});

test('without a key each upload is separate', async () => {
  const organization = await seedOrganization();
  const upload = async () => (await sendFiles(organization, '/enrichment-files/upload', [list])).body.uploadedFileIds;
  const [[first], [second]] = [await upload(), await upload()];
  expect(first).not.toBe(second);
});
