import { writeFile } from 'node:fs/promises';
import { note } from '../progress.ts';
import { machine } from '../report.ts';
import { runBench } from '../run.ts';
import { type Bench, startBench } from '../system.ts';
import { processorTime } from './cpu.ts';
import { measureDatabase } from './database.ts';
import { countNotifyingCommits } from './notifications.ts';
import { costsTable, type UnitCost, type UnitCosts, unitCostsFile } from './unit-costs.ts';
import { responses, units } from './units.ts';

const STATE = `
  select pg_current_wal_lsn() - '0/0'::pg_lsn as wal, (select xact_commit from pg_stat_database where datname = current_database()) as commits,
         (select sum(fsyncs) from pg_stat_io where object = 'wal') as flushes`;
/** Bytes of each table with its indexes and long values. */
const TABLES = `select schemaname || '.' || relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables`;

/** Makes all commits notify that would if somebody followed their records. */
const FOLLOW_ALL = `
  alter table catalog.jobs alter column watched_until set default 'infinity';
  alter table catalog.organization_sequences alter column watched_until set default 'infinity';
  update catalog.organization_sequences set watched_until = 'infinity';
  alter table agent.messages alter column watched set default true;`;

await runBench(measure);

/** Measures the unit costs of the product, and writes them to the file that the model of `bench/scale.ts` reads. */
async function measure(stack: AsyncDisposableStack): Promise<string> {
  const scale = Number(process.argv[2] ?? 1);
  const parts = [{ organizations: ['jobs'], measure: async () => [] }] satisfies Parameters<typeof startBench>[1]['parts'];
  const bench = await startBench(stack, { parts, extent: { rounds: 1, seconds: 1, scale }, note });
  const facts = await machine(bench.pool);
  await bench.pool.query(FOLLOW_ALL);
  const notifyingCommits = await countNotifyingCommits(stack, bench.databaseUrl);
  const measured: UnitCosts['units'] = {};
  for (const { name, run, historyOf } of units) {
    note(`measuring: ${name}`);
    const before = await snapshot(bench, notifyingCommits());
    const count = await run(bench);
    const after = await snapshot(bench, notifyingCommits());
    measured[name] = { ...perUnit(before, after, count), ...(await historyOf?.(bench, count)) };
  }
  note('measuring: commits and deletions');
  const costs: UnitCosts = {
    measuredAt: new Date().toISOString().slice(0, 10),
    machine: facts.split('\n')[0]!,
    scale,
    units: measured,
    database: await measureDatabase(bench),
  };
  await writeFile(unitCostsFile, `${JSON.stringify(costs, null, 2)}\n`);
  return costsTable(costs);
}

type Snapshot = Awaited<ReturnType<typeof snapshot>>;

async function snapshot({ pool, processes }: Bench, notifying: number) {
  const { rows } = await pool.query(STATE);
  const { rows: tables } = await pool.query(TABLES);
  return {
    cpu: (await processorTime(processes)) as Record<string, number>,
    wal: Number(rows[0].wal),
    commits: Number(rows[0].commits),
    notifying,
    flushes: Number(rows[0].flushes),
    responses: responses.bytes,
    tables: new Map<string, number>(tables.map(({ name, bytes }) => [name, Number(bytes)])),
  };
}

function perUnit(before: Snapshot, after: Snapshot, count: number): UnitCost {
  const each = (amount: number) => Math.round((amount / count) * 100) / 100;
  const cpu = (name: string) => each(after.cpu[name]! - before.cpu[name]!);
  const grown = [...after.tables].map(
    ([name, bytes]) => [name, Math.round((bytes - (before.tables.get(name) ?? 0)) / count)] as const,
  );
  return {
    gatewayMs: cpu('gateway'),
    workerMs: cpu('worker'),
    postgresMs: cpu('PostgreSQL'),
    temporalMs: cpu('Temporal'),
    walBytes: Math.round((after.wal - before.wal) / count),
    commits: each(after.commits - before.commits),
    followableCommits: each(after.notifying - before.notifying),
    walFlushes: each(after.flushes - before.flushes),
    responseBytes: Math.round((after.responses - before.responses) / count),
    tables: Object.fromEntries(grown.filter(([, bytes]) => bytes >= 1).toSorted((a, b) => b[1] - a[1])),
  };
}
