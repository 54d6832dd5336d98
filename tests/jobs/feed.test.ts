import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { SourceResult } from 'compiled-gateway';
import { parse } from 'graphql';
import { openDatabase } from '../../platform/database/database.ts';
import { identityTables } from '../../platform/identity/tables.ts';
import { type RequestScope, scopeFactory } from '../../platform/scope/index.ts';
import { buildSubgraph, inProcess } from '../../platform/subgraph/build-subgraph.ts';
import { openServices, type Services } from '../../platform/subgraph/services.ts';
import { webhookTables } from '../../platform/webhooks/tables.ts';
import { AnswerBudget } from '../../schema/limits.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import type { JobUpdate } from '../../subgraphs/catalog/jobs/entity.ts';
import { followJob } from '../../subgraphs/catalog/jobs/job-progress.ts';
import { JobUpdateResolver } from '../../subgraphs/catalog/jobs/resolver.ts';
import { followOrganization } from '../../subgraphs/catalog/live/update-log.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';

let services: Services;
beforeAll(async () => {
  const opened = await openDatabase(process.env.TEST_DATABASE_URL!, [identityTables, webhookTables, catalogTables]);
  services = await openServices(opened, { requireCredits: true, rateLimitPerMinute: 1_000_000 });
});
afterAll(() => services.close());

const CHANGE = `
  with counted as (update catalog.jobs set sequence = sequence + 1, status = $2 where id = $1 returning sequence)
  insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
  select $1, sequence, $2, 0, 0, 0, array[$3::uuid] from counted`;

const CHANGES = `
  with counted as (update catalog.jobs set sequence = sequence + cardinality($2::uuid[]) where id = $1 returning sequence)
  insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
  select $1, sequence - cardinality($2::uuid[]) + place, 'processing', 0, 0, 0, array[item]
    from counted, unnest($2::uuid[]) with ordinality as added (item, place)`;

/** A job without a worker; the test writes its changes. */
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
  /** Insert many changes in one statement. */
  const changeQuickly = async (times: number) => {
    const added = Array.from({ length: times }, () => randomUUID());
    await database().query(CHANGES, [id, added]);
    items.push(...added);
  };
  const scopeOf = (signal?: AbortSignal) => scopeFactory(services)({ headers: { 'x-api-key': key }, signal });
  const follow = async (after: number | null = 0) => followJob(await scopeOf(), id, after, true);
  return { change, changeQuickly, follow, id, items, key, scopeOf };
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

test('subscribers get each change once, regardless of start time, start number and speed', async () => {
  const { change, follow, items } = await openJob();
  const followed: { after: number; updates: Promise<JobUpdate[]> }[] = [];
  const add = async (after: number, pause?: number) => followed.push({ after, updates: collect(await follow(after), pause) });
  await add(0);
  await add(0, 60);
  for (let round = 0; round < 10; round += 1) {
    // Status changes are never folded, so they produce many updates.
    for (let each = 0; each < 15; each += 1) await change(1, each % 2 ? 'pending' : 'processing');
    await add(round * 7);
    await add(items.length);
    await change(20);
  }
  await change(1, 'completed');
  for (const { after, updates } of followed) expect(itemsOf(await updates)).toEqual(items.slice(after));
});

test('subscribers of one job share the same updates', async () => {
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

test('a subscriber with a number beyond the job starts with its state and does not block others', async () => {
  const { change, follow, items } = await openJob();
  await change(2);
  const ahead = collect(await follow(2_147_483_647));
  const others = [collect(await follow()), collect(await follow(1)), collect(await follow(2))];
  await change(3);
  others.push(collect(await follow()));
  await change(1, 'completed');
  expect((await Promise.all(others)).map(itemsOf)).toEqual([items, items.slice(1), items.slice(2), items]);
  const [state, ...changes] = await ahead;
  expect(state).toMatchObject({ isSnapshot: true, sequence: 2 });
  expect(itemsOf(changes)).toEqual(items.slice(2));
});

/** Items of a job that have ended or, from `open` on, have not. */
const storeItems = async (jobId: string, count: number, open: number): Promise<string[]> => {
  const { rows } = await database().query(
    `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, status)
     select gen_random_uuid(), organization_id, id, n, n, case when n >= $3 then 'processing' when n % 7 = 0 then 'failed' else 'completed' end
       from catalog.jobs, generate_series(0, $2::int - 1) n where id = $1 returning id`,
    [jobId, count, open],
  );
  return rows.slice(0, open).map(({ id }) => id);
};

test('the state of a job contains each item that has ended, in pages, and only its last page ends the job', async () => {
  const { change, follow, id } = await openJob();
  const ended = await storeItems(id, 1_102, 1_100);
  await change(1);
  await database().query('update catalog.jobs set processed_count = 1100, success_count = 942, failed_count = 158 where id = $1', [
    id,
  ]);
  await change(1, 'stopped');
  await database().query(`update catalog.job_items set status = 'failed' where job_id = $1 and status = 'processing'`, [id]);
  const updates = await collect(await follow(null));
  expect(updates.map(({ sequence, status, itemIds }) => [sequence, status, itemIds.length])).toEqual([
    [0, 'processing', 500],
    [0, 'processing', 500],
    [2, 'stopped', 102],
  ]);
  expect(itemsOf(updates).slice(0, 1_100)).toEqual(ended);
  for (const update of updates) expect(update).toMatchObject({ isSnapshot: true, processedCount: 1_100, failedCount: 158 });
  // A client that resumes between two pages gets all changes.
  expect((await collect(await follow(0))).at(-1)).toMatchObject({ isSnapshot: false, sequence: 2 });
});

test('an item that ends while the state of a job is read is listed once', async () => {
  const { change, follow, id } = await openJob();
  await storeItems(id, 3, 2);
  const { rows } = await database().query(`select id, status from catalog.job_items where job_id = $1 order by ordinal`, [id]);
  const own = services.statements.run;
  let isDone = false;
  services.statements.run = async function (this: typeof services.statements, statement: { text: string }, ...rest: unknown[]) {
    if (!isDone && statement.text.includes('ordinal >')) {
      isDone = true;
      await database().query(`update catalog.job_items set status = 'completed' where id = $1`, [rows[2].id]);
      await database().query(CHANGE, [id, 'processing', rows[2].id]);
    }
    return own.call(services.statements, statement as never, ...(rest as []));
  } as typeof own;
  try {
    const updates = await follow(null);
    const [state, next] = [await updates.next(), await updates.next()];
    expect(isDone).toBe(true);
    expect([state.value!.itemIds, next.value!.itemIds]).toEqual([[rows[0].id, rows[1].id], [rows[2].id]]);
    await updates.return!();
  } finally {
    services.statements.run = own;
  }
  await change(1, 'completed');
});

test('a subscriber that selects no items gets the state of a job as one update', async () => {
  const { change, scopeOf, id } = await openJob();
  await storeItems(id, 600, 600);
  await change(1, 'completed');
  const updates = await collect(await followJob((await scopeOf()) as RequestScope, id, undefined, false));
  expect(updates).toMatchObject([{ isSnapshot: true, sequence: 1, status: 'completed', itemIds: [] }]);
});

test('a subscriber whose next change has expired starts with the state, although later changes are stored', async () => {
  const { change, follow, id, scopeOf, items } = await openJob();
  await change(9);
  const expire = 'delete from catalog.job_changes where job_id = $1 and sequence < 5';
  await database().query(expire, [id]);
  const { organizationId } = await scopeOf();
  await database().query('delete from catalog.organization_changes where organization_id = $1 and sequence < 5', [organizationId]);
  const updates = await follow(2);
  expect((await updates.next()).value).toMatchObject({ isSnapshot: true, sequence: 9 });
  await updates.return!();
  const organization = await followOrganization((await scopeOf()) as RequestScope, 2);
  expect((await organization.next()).value).toMatchObject({ isSnapshot: true, sequence: 9, jobIds: [id] });
  await organization.return!();
  const rest = await follow(4);
  await change(1, 'completed');
  expect(itemsOf(await collect(rest))).toEqual(items.slice(4));
});

test('a subscriber that starts far behind delays no other', async () => {
  const { change, changeQuickly, follow, items } = await openJob();
  await changeQuickly(10_000);
  const behind = await follow();
  const first = (await behind.next()).value!;
  // It reads on while the other subscriber waits.
  const second = behind.next();
  const updates = await follow(10_000);
  const next = updates.next();
  await change(1);
  expect((await next).value?.itemIds).toEqual([items.at(-1)]);
  const seen = [first, (await second).value!];
  expect(itemsOf(seen).length).toBeLessThan(10_000);
  await updates.return!();
  await change(1, 'completed');
  expect(itemsOf([...seen, ...(await collect(behind))])).toEqual(items);
});

test('each event has its own answer budget', async () => {
  const { change, id, key } = await openJob();
  await change(1);
  const budget = new AnswerBudget(1_000_000);
  const restart = jest.spyOn(budget, 'restart');
  const source = inProcess(await buildSubgraph(catalog), scopeFactory(services));
  const text = 'subscription ($id: ID!) { jobProgress(id: $id) { sequence job { id } } }';
  const context = { headers: { 'x-api-key': key }, budget };
  const events = await source.subscribe({ document: parse(text), text, variables: { id }, context });
  const sequences: unknown[] = [];
  await change(1, 'completed');
  for await (const { data } of events as AsyncIterable<SourceResult>) sequences.push(data);
  expect(sequences.length).toBeGreaterThan(0);
  expect(restart).toHaveBeenCalledTimes(sequences.length);
});

test('a subscriber that leaves during a shared read does not affect others', async () => {
  const { change, follow, scopeOf } = await openJob();
  await change(1);
  const { value: update } = await (await follow()).next();
  const resolver = new JobUpdateResolver();
  const leaving = new AbortController();
  const [gone, patient] = [(await scopeOf(leaving.signal)) as RequestScope, (await scopeOf()) as RequestScope];
  const read = [
    resolver.job(gone, update!),
    resolver.job(patient, update!),
    resolver.items(gone, update!),
    resolver.items(patient, update!),
  ];
  leaving.abort(new Error('gone'));
  const [, job, , items] = await Promise.all(read);
  expect(job).toMatchObject({ status: 'processing' });
  expect(items).toEqual([]);
});

test('a waiting subscriber can leave', async () => {
  const { change, follow } = await openJob();
  await change(1);
  const updates = await follow();
  await updates.next();
  const waiting = updates.next();
  await updates.return!();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('changes during an outage of notifications are delivered afterward', async () => {
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

test('only changes of followed jobs and organizations notify', async () => {
  const [alone, followed] = [await openJob(), await openJob()];
  // The first update of a subscriber.
  await followed.change(1);
  const heard: string[] = [];
  const listener = await database().connect();
  listener.on('notification', ({ channel, payload }) => heard.push(`${channel} ${payload}`));
  try {
    await listener.query('listen job_changes; listen organization_changes');
    const job = await followed.follow();
    const organization = await followOrganization((await followed.scopeOf()) as RequestScope, undefined);
    await Promise.all([job.next(), organization.next()]);
    const updates = Promise.all([job.next(), organization.next()]);
    await alone.change(3);
    await followed.change(1);
    await updates;
    const { organizationId } = await followed.scopeOf();
    const wanted = [`job_changes ${followed.id}`, `organization_changes ${organizationId}`];
    await until(() => wanted.every((each) => heard.includes(each)));
    expect(heard.filter((each) => each.includes(alone.id))).toEqual([]);
    expect(heard).not.toContain(`organization_changes ${(await alone.scopeOf()).organizationId}`);
    await Promise.all([job.return!(), organization.return!()]);
  } finally {
    listener.release(true);
  }
});

test('the current state takes the place of expired changes', async () => {
  const { change, follow, id, items, scopeOf } = await openJob();
  const scope = (await scopeOf()) as RequestScope;
  await change(5);
  await database().query('delete from catalog.job_changes where job_id = $1', [id]);
  await database().query('delete from catalog.organization_changes where organization_id = $1', [scope.organizationId]);
  const organization = await followOrganization(scope, 2);
  expect((await organization.next()).value).toMatchObject({ isSnapshot: true, sequence: 5, jobIds: [id] });
  await organization.return!();
  const updates = await follow(2);
  expect((await updates.next()).value).toMatchObject({ sequence: 5, status: 'processing', itemIds: [] });
  await change(1, 'completed');
  expect(itemsOf(await collect(updates))).toEqual(items.slice(5));
  await database().query('delete from catalog.job_changes where job_id = $1', [id]);
  expect(await collect(await follow())).toMatchObject([{ sequence: 6, status: 'completed' }]);
});
