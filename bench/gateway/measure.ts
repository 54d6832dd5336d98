import { cpuSeconds } from './cpu.ts';
import type { Launched } from './launch.ts';
import { load, type Outcome } from './load.ts';

export interface Figure extends Outcome {
  /** Processor milliseconds of the gateway for one request. */
  cpu?: number;
  /** Of the subgraphs and the load; where it is more than the gateway's, they hold the gateway up. */
  cpuAround?: number;
}

export interface Setting {
  gateway: Launched;
  subgraphs: { pid: number };
}

export interface Question {
  body: string;
  /** Of the answer. */
  bytes: number;
}

const CONNECTIONS = 16;

/** Load one gateway with one query and see what it gave and took. */
export async function measure({ gateway, subgraphs }: Setting, { body, bytes }: Question, seconds: number): Promise<Figure> {
  const processes = [gateway.pid, subgraphs.pid, process.pid];
  const before = await Promise.all(processes.map(cpuSeconds));
  const outcome = await load({ url: gateway.url, body, connections: CONNECTIONS, bytes }, seconds);
  const after = await Promise.all(processes.map(cpuSeconds));
  const [cpu, ofSubgraphs, ofLoad] = after.map((now, index) => each(before[index], now, outcome.requests));
  return { ...outcome, cpu, cpuAround: ofSubgraphs === undefined || ofLoad === undefined ? undefined : ofSubgraphs + ofLoad };
}

const each = (before: number | undefined, after: number | undefined, requests: number) =>
  before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / requests;
