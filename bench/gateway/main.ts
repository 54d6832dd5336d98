import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startProcess } from '../../tests/support/processes.ts';
import { memoryOf } from '../memory.ts';
import { note } from '../progress.ts';
import { runBench } from '../run.ts';
import { Absent, holdApart, type Launched } from './launch.ts';
import { type Figure, measure } from './measure.ts';
import { type Peer, peers } from './peers.ts';
import { queries } from './queries.ts';
import { requestOf, sameAnswers } from './responses.ts';
import { compose } from './subgraphs/subgraphs.ts';
import { type Series, table } from './table.ts';
import { aimTable } from './targets.ts';

const { only, ...options } = parseArgs({
  options: {
    only: { type: 'string' },
    peers: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    profile: { type: 'string' },
  },
}).values;
const asked = chosen(queries, only);
const invited = Object.values(chosen(Object.fromEntries(peers.map((peer) => [peer.key, peer])), options.peers));
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)];

const absent: string[] = [];
await runBench(async (stack) => {
  const facts = machine();
  const core = (await holdApart(availableParallelism())) ? 0 : undefined;
  const series = await run(stack, core);
  return [[facts, ...absent].join('\n'), table(series), aimTable(series)].join('\n\n').trimEnd();
});

async function run(stack: AsyncDisposableStack, core: number | undefined): Promise<Series[]> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-graph-bench-gateway-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  note('starting the subgraphs');
  const subgraphs = await startProcess('bench/gateway/subgraphs/main.ts', [], {});
  stack.defer(() => subgraphs.stop());
  const supergraph = join(folder, 'supergraph.graphql');
  await writeFile(supergraph, compose(subgraphs.addresses));

  const running: Running[] = [];
  stack.defer(async () => void (await Promise.all(running.map(({ gateway }) => gateway.stop()))));
  for (const peer of invited) {
    note(`starting ${peer.name}`);
    try {
      const gateway = await peer.start({ supergraph, folder, core, profile: options.profile, note });
      running.push({ peer, gateway });
    } catch (error) {
      if (!(error instanceof Absent)) throw error;
      absent.push(`without ${peer.name}: ${error.message}`);
    }
  }
  return measureAll(running, subgraphs);
}

interface Running {
  peer: Peer;
  gateway: Launched;
}

async function measureAll(running: Running[], subgraphs: { pid: number }): Promise<Series[]> {
  const urls = Object.fromEntries(running.map(({ peer, gateway }) => [peer.name, gateway.url]));
  const all = [];
  for (const [query, text] of Object.entries(asked)) {
    const sizes = await sameAnswers(urls, text);
    const body = requestOf(text);
    for (const { peer, gateway } of running) {
      const figures: Figure[] = [];
      all.push({ query, peer, figures, setting: { gateway, subgraphs }, question: { body, bytes: sizes[peer.name]! } });
    }
  }

  // Interleave the peers, so that other load on the machine affects all of them. The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { query, peer, figures, setting, question } of all) {
      note(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${query}, ${peer.name}`);
      const figure = await measure(setting, question, seconds);
      if (round > 0) figures.push(figure);
    }
  }
  const memory = await memoryOf(Object.fromEntries(running.map(({ peer, gateway }) => [peer.key, gateway.pid])));
  return all.map(({ query, peer, figures }) => ({ query, peer, figures, memory: memory[peer.key] }));
}

/** Selects the named entries, or all. */
function chosen<T>(all: Record<string, T>, names: string | undefined): Record<string, T> {
  if (names === undefined) return all;
  const unknown = names.split(',').filter((name) => !Object.hasOwn(all, name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: there are ${Object.keys(all).join(', ')}`);
  return Object.fromEntries(names.split(',').map((name) => [name, all[name]!]));
}

function machine(): string {
  const { version, arch, platform } = process;
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${platform} ${arch}, load ${loadavg()[0]!.toFixed(1)} before the start`,
    `Node ${version}; 16 connections; ${rounds} rounds of ${seconds} s each`,
  ].join('\n');
}
