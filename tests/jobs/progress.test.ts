import { caller } from '../support/client.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { expectWhole, followJob, type Update } from '../support/follow.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { database } from '../support/seed.ts';

const SLOW = '[[provider: slow 60]]';
const url = () => process.env.TEST_URL!;

test('a subscriber sees every status in order, each item once, and the final counters', async () => {
  const { addColored, addProducts, start, key } = await seedCatalog();
  const silent = await addProducts([{ userProvidedRawDataSources: ['n/a'] }]);
  const jobId = await start([...(await addColored(59, SLOW)), ...silent]);
  const begun = performance.now();
  const { updates, connections } = await followJob({ url, key, jobId });
  const seconds = (performance.now() - begun) / 1000;
  expect(connections).toBe(1);
  expectWhole(updates, 60);
  expect([...new Set(updates.map(({ status }) => status))]).toEqual(['pending', 'processing', 'completed_with_errors']);
  expect(updates[0]).toMatchObject({ sequence: 1, status: 'pending', processedCount: 0, items: [] });
  expect(updates.at(-1)).toMatchObject({ processedCount: 60, successCount: 59, failedCount: 1 });
  // Ten per second, plus status changes, which are never folded.
  expect(updates.length).toBeLessThanOrEqual(10 * seconds + 4);
});

test('a client with repeated connection losses gets each update exactly once', async () => {
  const { addColored, start, key } = await seedCatalog();
  const jobId = await start(await addColored(60, SLOW));
  const { updates, connections } = await followJob({
    url,
    key,
    jobId,
    tear: ({ status }) => status !== 'completed' && Math.random() < 0.6,
  });
  expectWhole(updates, 60);
  expect(connections).toBeGreaterThan(1);
  expect(updates.at(-1)?.status).toBe('completed');
});

test('a late subscriber gets all updates, from any number', async () => {
  const { addColored, enrich, key, api } = await seedCatalog();
  const { job } = await enrich(await addColored(30));
  const { updates } = await followJob({ url, key, jobId: job.id });
  expectWhole(updates, 30);
  expect(updates.at(-1)).toMatchObject({ sequence: job.sequence, status: 'completed' });
  const rest = async (after: number) =>
    collect(
      api.subscribe('subscription ($id: ID!, $after: Int!) { jobProgress(id: $id, after: $after) { sequence items { id } } }', {
        id: job.id,
        after,
      }),
    );
  const middle = Math.floor(job.sequence / 2);
  const { rows } = await database().query(
    'select unnest(item_ids) as id from catalog.job_changes where job_id = $1 and sequence > $2',
    [job.id, middle],
  );
  const late = await rest(middle);
  const ids = late.flatMap(({ items }) => (items as { id: string }[]).map(({ id }) => id));
  expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  expect(await rest(job.sequence)).toEqual([]);
});

test('the stream of a stopped job continues until running items finish', async () => {
  const { addColored, start, stop, jobWhen, key } = await seedCatalog();
  const jobId = await start(await addColored(60, '[[provider: slow 300]]'));
  // Some clients write ids in upper case.
  const followed = followJob({ url, key, jobId: jobId.toUpperCase() });
  await jobWhen(jobId, ({ successCount }) => successCount > 0);
  await stop(jobId.toUpperCase());
  const { updates } = await followed;
  expectWhole(updates, 60);
  expect([...new Set(updates.map(({ status }) => status))]).toEqual(['pending', 'processing', 'stopped']);
});

test('an update can select other entities', async () => {
  const { addProducts, start, api, owner } = await seedCatalog();
  const value = { attributeId: null, attributeName: 'Color', attributeType: 'text', value: 'red' };
  const [parentId] = await addProducts([{ sku: 'GROUP', name: 'Kettles', isParent: true }]);
  const ids = await addProducts([
    { sku: 'K1', parentId, attributes: { color: value }, userProvidedRawDataSources: ['Color: red'] },
  ]);
  const query = `subscription ($id: ID!) { jobProgress(id: $id) {
    items { status product { sku parent { name } } } job { id totalCount createdBy { id name } }
  } }`;
  const updates = await collect<{ items: object[]; job: object }>(api.subscribe(query, { id: await start(ids) }));
  expect(updates.flatMap(({ items }) => items)).toEqual([
    { status: 'completed', product: { sku: 'K1', parent: { name: 'Kettles' } } },
  ]);
  expect(updates.at(-1)?.job).toMatchObject({ totalCount: 1, createdBy: { id: owner.id, name: expect.any(String) } });
});

test('a member may subscribe; another organization, a stranger and an unknown id are rejected', async () => {
  const { addColored, start, addMember } = await seedCatalog();
  const jobId = await start(await addColored(3));
  const member = await addMember('member');
  expectWhole((await followJob({ url, key: member.key, jobId })).updates, 3);
  const outsider = await seedCatalog();
  expect(await refusalOf(outsider.key, jobId)).toContain('Job not found');
  expect(await refusalOf(member.key, 'no-id')).toContain('Job not found');
  expect(await refusalOf(undefined, jobId)).toContain('Missing API Key');
});

describe('at another gateway', () => {
  let other: Gateway;
  beforeAll(async () => {
    other = await openGateway();
  });
  afterAll(() => other.stop());

  test('a job can be followed through another gateway, and after a switch of gateways', async () => {
    const { addColored, start, key } = await seedCatalog();
    const jobId = await start(await addColored(60, SLOW));
    const sides = [url(), other.url];
    const there = followJob({ url: () => other.url, key, jobId });
    const changing = followJob({
      url: () => sides.reverse()[0]!,
      key,
      jobId,
      tear: ({ status }) => status === 'pending' || Math.random() < 0.3,
    });
    for (const { updates } of await Promise.all([there, changing])) {
      expectWhole(updates, 60);
      expect(updates.at(-1)?.status).toBe('completed');
    }
  });

  test('leaving subscribers release their resources, and others continue', async () => {
    const { addColored, start, stop, key } = await seedCatalog();
    const jobId = await start(await addColored(100, '[[provider: slow 1000]]'));
    const { subscribe } = caller(key, { url: other.url });
    const query = 'subscription ($id: ID!) { jobProgress(id: $id) { sequence status } }';
    // More than the database pool size of a process.
    await Promise.all(
      Array.from({ length: 60 }, async () => {
        for await (const _ of subscribe(query, { id: jobId })) return;
      }),
    );
    const stays = followJob({ url: () => other.url, key, jobId });
    await stop(jobId);
    expectWhole((await stays).updates, 100);
  });
});

async function collect<T = Update>(results: AsyncIterable<{ data?: { jobProgress: T } | null }>): Promise<T[]> {
  const updates: T[] = [];
  for await (const { data } of results) updates.push(data!.jobProgress);
  return updates;
}

/** The socket error instead of an update, as text. */
async function refusalOf(key: string | undefined, id: string): Promise<string> {
  try {
    for await (const result of caller(key).subscribe('subscription ($id: ID!) { jobProgress(id: $id) { sequence } }', { id }))
      return JSON.stringify(result);
  } catch (error) {
    return JSON.stringify(error) + String((error as { reason?: string }).reason);
  }
  return 'nothing';
}
