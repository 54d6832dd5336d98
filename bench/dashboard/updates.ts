import type { Bench } from '../system.ts';

const [JOBS, ITEMS] = [10, 2_000];
/** Each commit updates all jobs, so ten jobs make 10,000 updates a minute. */
const INTERVAL = 60;

const RUNNING = `
  with made as (
    insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, created_at, started_at)
    select uuidv7(), $1, 'product-enrichment', 'processing', 'budget-v1', $3, (select user_id from identity.memberships limit 1), now(), now()
      from generate_series(1, $2::int) returning id)
  , logged as (
    insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count)
    select id, 1, 'processing', 0, 0, 0 from made)
  , items as (
    insert into catalog.job_items (id, organization_id, job_id, ordinal, turn)
    select uuidv7(), $1, id, n, n from made, generate_series(0, $3::int - 1) n)
  select id from made`;

/** Create jobs that run without a worker. Returns their ids. */
export async function addRunningJobs({ pool, organizations }: Bench): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(RUNNING, [organizations.live!.id, JOBS, ITEMS]);
  return rows.map(({ id }) => id);
}

const UPDATE = `
  with done as (
    update catalog.job_items set status = 'completed', completed_at = now(), cost = 1
     where job_id = any($1::uuid[]) and ordinal = $2::int % $3::int returning id, job_id)
  , counted as (
    update catalog.jobs set sequence = sequence + 1, processed_count = (processed_count + 1) % $3::int, success_count = (success_count + 1) % $3::int
     where id = any($1::uuid[]) returning id, sequence, status, processed_count, success_count, failed_count)
  insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
  select counted.*, array(select done.id from done where done.job_id = counted.id) from counted`;

/** Commit progress of all jobs until the result is called, which returns the updates per minute. */
export function updateJobs({ pool }: Bench, jobs: string[]): () => Promise<number> {
  let [isRunning, commits] = [true, 0];
  const start = performance.now();
  const work = (async () => {
    for (let next = start; isRunning; next += INTERVAL) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
      await pool.query(UPDATE, [jobs, commits, ITEMS]);
      commits += 1;
    }
  })();
  return async () => {
    isRunning = false;
    await work;
    return (commits * jobs.length * 60_000) / (performance.now() - start);
  };
}
