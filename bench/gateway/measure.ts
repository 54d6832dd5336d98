import { cpuSeconds } from './cpu.ts';
import type { Launched } from './launch.ts';
import { load, type Outcome } from './load.ts';

export interface Figure extends Outcome {
  /** CPU milliseconds of the gateway per request. */
  cpu?: number;
  /** CPU milliseconds of subgraphs and load generator per request. If it exceeds the gateway's, they are the bottleneck. */
  cpuAround?: number;
}

export interface Setting {
  gateway: Launched;
  subgraphs: { pid: number };
}

export interface Question {
  body: string;
  /** Response size. */
  bytes: number;
}

const CONNECTIONS = 16;

/** Load one gateway with one query and measure throughput, latency and CPU time. */
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
