import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import type { Pool } from 'pg';
import { type Pairs, spread } from './rounds.ts';

/** One row of the table: the results of both sides, and one comparison per round. */
export interface Line {
  name: string;
  peer: string;
  pairs: Pairs;
  unit: string;
  values: number[];
  /** Target of the median. */
  atLeast?: number;
  below?: number;
}

const HEAD = ['', 'ours', 'peer', 'min – median – max', 'aim', 'met', 'the peer is'];

export function table(lines: Line[]): string {
  return aligned([HEAD, ...lines.map(row)]);
}

function row({ name, peer, pairs, unit, values, atLeast, below }: Line): string[] {
  const { min, median, max } = spread(values);
  const side = (given: number[]) => `${number(spread(given).median)} ${unit}`;
  const aim = atLeast !== undefined ? `≥ ${atLeast}` : below !== undefined ? `< ${below} ${unit}` : '–';
  const met = atLeast !== undefined ? median >= atLeast : below !== undefined ? median < below : undefined;
  return [
    name,
    side(pairs.ours),
    side(pairs.peer),
    [min, median, max].map((value) => value.toFixed(2)).join(' – '),
    aim,
    met === undefined ? '–' : met ? 'yes' : 'NO',
    peer,
  ];
}

type Memory = Record<string, number>;
export function memoryTable(rest: Memory, after: Memory): string {
  const rows = Object.keys(rest).map((name) => [name, `${number(rest[name]!)} MB`, `${number(after[name]!)} MB`]);
  return aligned([['resident memory, shared parts once', 'at rest', 'at the end'], ...rows]);
}

/** Description of the machine. */
export async function machine(pool: Pool): Promise<string> {
  const { rows } = await pool.query('show server_version');
  const { version, arch, platform } = process;
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${memory} GB, ${platform} ${arch}, load ${loadavg()[0]!.toFixed(1)} before the start`,
    `Node ${version}, PostgreSQL ${rows[0].server_version}; 16 connections; the load generator, both sides and the servers share the machine`,
  ].join('\n');
}

const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: value < 20 ? 2 : 0 });

export function aligned(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
