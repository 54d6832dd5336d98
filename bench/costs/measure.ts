import type { Pool } from 'pg';
import { note } from '../progress.ts';
import { aligned } from '../report.ts';
import { runBench } from '../run.ts';
import { type Bench, startBench } from '../system.ts';
import { processorTime } from './cpu.ts';
import { units } from './units.ts';

await runBench(measure);

/** Measures the unit costs of the product: processor time by process, WAL and table size of each kind of work. */
async function measure(stack: AsyncDisposableStack): Promise<string> {
  const scale = Number(process.argv[2] ?? 1);
  const parts = [{ organizations: ['jobs'], measure: async () => [] }] satisfies Parameters<typeof startBench>[1]['parts'];
  const bench = await startBench(stack, { parts, extent: { rounds: 1, seconds: 1, scale }, note });
  const head = ['per unit', ...Object.keys(bench.processes).map((name) => `${name} ms`), 'WAL bytes', 'largest growth (bytes)'];
  const rows = [head];
  for (const { name, run } of units) {
    note(`measuring: ${name}`);
    const before = await snapshot(bench);
    const count = await run(bench);
    const after = await snapshot(bench);
    const ms = Object.keys(bench.processes).map((process) => perUnit(after.cpu[process]! - before.cpu[process]!, count));
    rows.push([name, ...ms, perUnit(after.wal - before.wal, count), growth(before.tables, after.tables, count)]);
  }
  return aligned(rows);
}

function perUnit(amount: number, count: number): string {
  return (amount / count).toFixed(amount / count < 20 ? 2 : 0);
}

async function snapshot({ pool, processes }: Bench) {
  const { rows } = await pool.query(`select pg_current_wal_lsn() - '0/0'::pg_lsn as wal`);
  return { cpu: (await processorTime(processes)) as Record<string, number>, wal: Number(rows[0].wal), tables: await tables(pool) };
}

/** Bytes of each table with its indexes and long values. */
async function tables(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query(
    `select schemaname || '.' || relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

function growth(before: Map<string, number>, after: Map<string, number>, count: number): string {
  const grown = [...after].map(([name, bytes]) => ({ name, bytes: (bytes - (before.get(name) ?? 0)) / count }));
  const largest = grown.toSorted((a, b) => b.bytes - a.bytes).slice(0, 5);
  return largest
    .filter(({ bytes }) => bytes >= 1)
    .map(({ name, bytes }) => `${name} ${Math.round(bytes)}`)
    .join(', ');
}
