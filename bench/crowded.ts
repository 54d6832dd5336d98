import { runJob } from './jobs.ts';
import type { Line } from './report.ts';
import { each } from './rounds.ts';
import { slowJob } from './slow.ts';
import type { Bench, Note, Part } from './system.ts';

/** Slots of the worker. Items of a slow provider that fill more would measure the processor. */
const SLOTS = 40;
/** Each job starts with a window of 20 items, so together they would need four times the slots. */
const JOBS = 8;

/** Where the time of the newest job went. */
const WAITS = `
  select round(extract(epoch from min(i.started_at) - j.created_at), 1) as first, round(extract(epoch from max(i.started_at) - j.created_at), 1) as last,
         round(extract(epoch from max(i.completed_at - i.started_at)), 1) as longest,
         (select count(*) from catalog.job_items where status = 'processing') as beside
    from (select * from catalog.jobs where organization_id = $1 order by created_at desc limit 1) j
    join catalog.job_items i on i.job_id = j.id group by j.created_at`;

/** The small job of an organization, without and beside many large jobs of another one that exhaust the slots of the worker. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const small = await slowJob(bench, 'kinds', 10);
  const size = Math.floor(bench.of(5_000) / JOBS);
  const large: Awaited<ReturnType<typeof slowJob>>[] = [];
  for (let at = 0; at < JOBS; at += 1) large.push(await slowJob(bench, 'slow', size, at * size));
  const repeat = async (label: string) => {
    const times: number[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      note(`10 items ${label}: round ${round + 1} of ${bench.rounds}`);
      times.push(await runJob(bench, small));
      const { rows } = await bench.pool.query(WAITS, [bench.organizations.kinds!.id]);
      note(
        `started after ${rows[0].first} to ${rows[0].last} s, an item took up to ${rows[0].longest} s, beside ${rows[0].beside} items`,
      );
    }
    return times;
  };
  await runJob(bench, small);
  const alone = await repeat('alone');
  const running = large.map((job) => runJob(bench, job));
  // The first round begins with the large jobs.
  const pairs = { ours: await repeat(`beside ${JOBS} large jobs`), peer: alone };
  note('the large jobs');
  const started = performance.now();
  await Promise.all(running);
  note(`${Math.round((performance.now() - started) / 1_000)} s more`);
  return [
    {
      ...{ name: `10 slow items, beside ${JOBS} jobs of ${size} of another organization`, peer: 'the same without them', pairs },
      ...{ unit: 'ms', values: each(pairs, (job, single) => single / job), atLeast: 1 / 1.5 },
    },
  ];
}

export const crowded: Part = { organizations: ['slow', 'kinds'], env: { WORKER_CONCURRENCY: String(SLOTS) }, measure };
