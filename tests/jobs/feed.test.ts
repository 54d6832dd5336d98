import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { tables } from '../../start/graph.ts';
import { followJob } from '../../subgraphs/catalog/jobs/progress.ts';
import type { JobUpdate } from '../../subgraphs/catalog/jobs/types.ts';
import { migrate, openDatabase } from '../../subgraphs/common/database.ts';
import { scopeFactory } from '../../subgraphs/common/scope.ts';
import { openServices, type Services } from '../../subgraphs/common/services.ts';
import { database, seedOrganization } from '../support/seed.ts';

let services: Services;
beforeAll(async () => {
  const opened = await openDatabase(process.env.TEST_DATABASE_URL!, tables);
  await migrate(opened);
  services = await openServices(opened, { requireCredits: true, rateLimitPerMinute: 1_000_000 });
});
afterAll(() => services.close());

const CHANGE = `
  with counted as (update catalog.jobs set sequence = sequence + 1, status = $2 where id = $1 returning sequence)
  insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
  select $1, sequence, $2, 0, 0, 0, array[$3::uuid] from counted`;

/** A job without a worker, whose changes are made by the test. */
async function openJob() {
  const { id: organizationId, owner, key } = await seedOrganization();
  const id = randomUUID();
  await database().query(
    `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, sequence)
     values ($1, $2, 'product-enrichment', 'processing', 'budget-v1', 1, $3, 0)`,
    [id, organizationId, owner.id],
  );
  const items: string[] = [];
  const change = async (times: number, status = 'processing') => {
    for (let time = 0; time < times; time += 1) {
      items.push(randomUUID());
      await database().query(CHANGE, [id, status, items.at(-1)]);
    }
  };
  const follow = async (after = 0) => followJob(await scopeFactory(services)({ headers: { 'x-api-key': key } }), id, after);
  return { change, follow, items };
}

async function collect(updates: AsyncIterable<JobUpdate>, pause = 0): Promise<JobUpdate[]> {
  const all: JobUpdate[] = [];
  for await (const update of updates) {
    all.push(update);
    if (pause) await wait(pause);
  }
  return all;
}

const itemsOf = (updates: JobUpdate[]) => updates.flatMap(({ itemIds }) => itemIds);

test('subscribers that come at any time and from any number hear each change once, the slow ones too', async () => {
  const { change, follow, items } = await openJob();
  const followed: { after: number; updates: Promise<JobUpdate[]> }[] = [];
  const add = async (after: number, pause?: number) => followed.push({ after, updates: collect(await follow(after), pause) });
  await add(0);
  await add(0, 60);
  for (let round = 0; round < 10; round += 1) {
    // Statuses are not folded, so that there is much to say.
    for (let each = 0; each < 15; each += 1) await change(1, each % 2 ? 'pending' : 'processing');
    await add(round * 7);
    await add(items.length);
    await add(items.length + 9);
    await change(20);
  }
  await change(1, 'completed');
  for (const { after, updates } of followed) expect(itemsOf(await updates)).toEqual(items.slice(after));
});

test('subscribers of one job are given the same updates', async () => {
  const { change, follow } = await openJob();
  await change(3);
  const [one, two] = [await follow(), await follow(2)];
  await Promise.all([one.next(), two.next()]);
  const both = Promise.all([one.next(), two.next()]);
  await change(1);
  const [first, second] = await both;
  expect(first.value).toMatchObject({ sequence: 4 });
  expect(first.value).toBe(second.value);
  await Promise.all([one.return!(), two.return!()]);
});

test('a subscriber that leaves while it waits is let go', async () => {
  const { change, follow } = await openJob();
  await change(1);
  const updates = await follow();
  await updates.next();
  const waiting = updates.next();
  await updates.return!();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('what is committed while notifications are cut off is heard once they are back', async () => {
  const { change, follow, items } = await openJob();
  await change(1);
  const updates = collect(await follow());
  for (let round = 0; round < 3; round += 1) {
    await database().query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'notifications' and datname = current_database()`,
    );
    await change(5);
    await wait(150);
  }
  await change(1, 'completed');
  expect(itemsOf(await updates)).toEqual(items);
});
