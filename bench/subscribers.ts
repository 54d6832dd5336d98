import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { run } from '../start/servers/processes.ts';
import { type Running, startProcess } from '../tests/support/processes.ts';
import { bodyOf } from './load.ts';
import { memoryOf } from './memory.ts';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const organization = 'live';
const [IDLE, ACTIVE] = [10_000, 1_000];
const [IDLE_JOBS, ACTIVE_JOBS] = [1_000, 10];
/** Changes per second of each active job; twice the update rate of a subscriber. */
const CHANGES = 20;
const hand = 'ws and LISTEN by hand, no GraphQL, no keys';

/** Result of one measurement of active subscribers. */
interface Lively {
  cpu: number;
  p50: number;
  p99: number;
}

interface Side {
  pid: number;
  address: string;
  /** The subscribers run in a separate process. */
  clients: Running;
}

/** Idle and active job subscribers, compared with a minimal hand-written server. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const [clients, others] = await Promise.all([startClients(), startClients()]);
  try {
    return await measureBoth(bench, clients, others, note);
  } finally {
    await Promise.all([clients.stop(), others.stop()]);
  }
}

const startClients = () => startProcess('bench/peers/subscribers.ts', [], {});

async function measureBoth(bench: Bench, clients: Running, others: Running, note: Note): Promise<Line[]> {
  const [idle, active] = [bench.of(IDLE), bench.of(ACTIVE)];
  const idleJobs = await addJobs(bench, IDLE_JOBS);
  const jobs = await addJobs(bench, ACTIVE_JOBS);
  const broadcast = await bench.peer('broadcast');
  const ours: Side = { pid: bench.processes.gateway, address: `${bench.url.replace('http', 'ws')}/graphql`, clients };
  const peer: Side = { pid: broadcast.pid, address: broadcast.url.replace('http', 'ws'), clients: others };

  const open = ({ address, clients: { addresses } }: Side, ids: string[], count: number) =>
    tell(addresses.url!, 'open', { address, key: bench.key, ids, count, organization });
  const idleOn = async (side: Side) => {
    const before = await memory(side);
    await open(side, idleJobs, idle);
    await wait(5_000);
    return (((await memory(side)) - before) * 1024) / idle;
  };
  note(`${idle} idle subscribers`);
  const kilobytes = { ours: [await idleOn(ours)], peer: [await idleOn(peer)] };

  const activeOn = async (side: Side): Promise<Lively> => {
    const { group } = await open(side, jobs, active);
    const before = await cpuOf(side.pid);
    const commits = await change(bench, jobs);
    await wait(1_000);
    const cpu = (await cpuOf(side.pid)) - before;
    const { p50, p99, updates } = await tell(side.clients.addresses.url!, 'close', { group, commits });
    return { cpu: (cpu * 1_000) / updates, p50, p99 };
  };
  const all: Record<keyof typeof kilobytes, Lively[]> = { ours: [], peer: [] };
  const kept = (side: Side, into: Lively[]) => async () => into.push(await activeOn(side));
  await interleave(bench.rounds, kept(ours, all.ours), kept(peer, all.peer), (text) =>
    note(`${active} active subscribers: ${text}`),
  );

  const line = (name: string, of: keyof Lively, unit: string): Line => {
    const pairs = { ours: all.ours.slice(1).map((round) => round[of]), peer: all.peer.slice(1).map((round) => round[of]) };
    return { name, peer: hand, pairs, unit, values: each(pairs, (a, b) => b / a) };
  };
  const [many, few] = [idle, active].map((count) => count.toLocaleString('en'));
  return [
    {
      name: `${many} idle subscribers, memory of one`,
      peer: hand,
      pairs: kilobytes,
      unit: 'KB',
      values: each(kilobytes, (a, b) => a - b),
    },
    line(`${few} active subscribers, CPU of an update`, 'cpu', 'µs'),
    line(`${few} active subscribers, commit to delivery, p50`, 'p50', 'ms'),
    line(`${few} active subscribers, commit to delivery, p99`, 'p99', 'ms'),
  ];
}

export const subscribers: Part = { organizations: [organization], measure };

const tell = async (url: string, what: string, body: object) =>
  JSON.parse(await bodyOf({ url: `${url}/${what}`, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }));

const memory = async ({ pid }: Side) => (await memoryOf({ pid })).pid;

const JOBS = `
  with made as (
    insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, created_at, started_at)
    select uuidv7(), $1, 'product-enrichment', 'processing', 'budget-v1', 1000000, (select user_id from identity.memberships limit 1), now(), now()
      from generate_series(1, $2::int) returning id)
  , logged as (
    insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count)
    select id, 1, 'processing', 0, 0, 0 from made)
  select id from made`;

/** Create jobs that run without a worker. */
async function addJobs({ pool, organizations }: Bench, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(JOBS, [organizations[organization]!.id, count]);
  return rows.map(({ id }) => id);
}

const CHANGE = `
  with counted as (
    update catalog.jobs set sequence = sequence + 1, processed_count = processed_count + 1, success_count = success_count + 1
     where id = any($1::uuid[]) returning id, sequence, status, processed_count, success_count, failed_count)
  insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count)
  select * from counted returning sequence`;

/** Make progress on the jobs for some time. Returns commit times by sequence number. */
async function change({ pool, seconds }: Bench, jobs: string[]): Promise<Record<number, number>> {
  const commits: Record<number, number> = {};
  const end = performance.now() + seconds * 1_000;
  for (let next = performance.now(); next < end; next += 1_000 / CHANGES) {
    await wait(Math.max(0, next - performance.now()));
    const { rows } = await pool.query<{ sequence: string }>(CHANGE, [jobs]);
    commits[Number(rows[0]!.sequence)] = performance.timeOrigin + performance.now();
  }
  return commits;
}

/** Total CPU time of a process in milliseconds. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The program name may contain spaces; a tick is a hundredth of a second.
  if (stat)
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
  const { output } = await run('ps', ['-o', 'time=', '-p', String(pid)]);
  return (
    output
      .trim()
      .split(':')
      .reduce((sum, part) => sum * 60 + Number(part), 0) * 1_000
  );
}
