import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aligned } from '../report.ts';

/** The measured cost of one unit of work. */
export interface UnitCost {
  gatewayMs: number;
  workerMs: number;
  postgresMs: number;
  temporalMs: number;
  walBytes: number;
  /** Transactions of PostgreSQL, reads included. */
  commits: number;
  /** Commits that send a notification if somebody follows their records. */
  followableCommits: number;
  /** Flushes of the WAL to the disk. */
  walFlushes: number;
  /** Bytes of the HTTP responses, without headers. */
  responseBytes: number;
  /** Growth in bytes of each table, with its indexes and long values. */
  tables: Record<string, number>;
  /** Events of the workflow history. */
  historyEvents?: number;
  /** Bytes of the workflow history. */
  historyBytes?: number;
}

/** Rates of one PostgreSQL server and its disk. */
export interface DatabaseCosts {
  /** Commits per second of 16 sessions that insert one row each. */
  commitsPerSecond: number;
  /** The same, when each commit also sends a notification. */
  notifyingPerSecond: number;
  /** Milliseconds of a single commit. */
  commitMs: number;
  /** Expired source texts of 10 kB that a sweep deletes in a second. */
  sourceTextsPerSecond: number;
}

/** The content of `unit-costs.json`, which `measure.ts` writes. */
export interface UnitCosts {
  measuredAt: string;
  machine: string;
  scale: number;
  units: Record<string, UnitCost>;
  database: DatabaseCosts;
}

export const unitCostsFile = join(import.meta.dirname, 'unit-costs.json');

const total = (tables: Record<string, number>) => Object.values(tables).reduce((sum, bytes) => sum + bytes, 0);

/** The costs as a Markdown table. */
export function costsTable({ units, database }: UnitCosts): string {
  const head = ['Unit', 'Gateway ms', 'Worker ms', 'PostgreSQL ms', 'Temporal ms', 'WAL bytes', 'Tables, bytes', 'Largest table'];
  const rows = Object.entries(units).map(([name, unit]) => {
    const [largest] = Object.entries(unit.tables);
    const times = [unit.gatewayMs, unit.workerMs, unit.postgresMs, unit.temporalMs].map(String);
    const sizes = [unit.walBytes, total(unit.tables)].map((bytes) => bytes.toLocaleString('en'));
    return [name, ...times, ...sizes, largest ? `${largest[0]} ${largest[1].toLocaleString('en')}` : '–'];
  });
  const rates = Object.entries(database).map(([name, value]) => `${name}: ${value.toLocaleString('en')}`);
  return `${aligned([head, ...rows])}\n\n${rates.join('\n')}`;
}

export const readUnitCosts = async (): Promise<UnitCosts> => JSON.parse(await readFile(unitCostsFile, 'utf8'));
