import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bulk } from './bulk.ts';
import { chat } from './chat.ts';
import { create } from './create.ts';
import { crowded } from './crowded.ts';
import { dashboard } from './dashboard/part.ts';
import { deliveries } from './deliveries.ts';
import { download } from './download.ts';
import { enrichment, queues } from './enrichment.ts';
import { acceptance } from './growth/acceptance.ts';
import { answerParts } from './growth/answer-parts.ts';
import { edits } from './growth/edits.ts';
import { growth } from './growth/growth.ts';
import { imports } from './imports.ts';
import { integration } from './integration.ts';
import { kinds } from './kinds.ts';
import { listing } from './listing.ts';
import { memoryOf } from './memory.ts';
import { note } from './progress.ts';
import { reading } from './reading.ts';
import { type Line, machine, memoryTable, table } from './report.ts';
import { runBench } from './run.ts';
import { siteContent } from './site-content.ts';
import { slow } from './slow.ts';
import { subscribers } from './subscribers.ts';
import { type Bench, type Part, startBench } from './system.ts';
import { workerMemory } from './worker-memory.ts';

const parts: Record<string, Part> = {
  listing,
  growth,
  acceptance,
  parts: answerParts,
  edits,
  bulk,
  create,
  imports,
  enrichment,
  queues,
  slow,
  crowded,
  kinds,
  download,
  deliveries,
  integration,
  subscribers,
  chat,
  'site-content': siteContent,
  dashboard,
  reading,
  'worker-memory': workerMemory,
};

const { only, profile, ...extent } = parseArgs({
  options: {
    only: { type: 'string' },
    profile: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    scale: { type: 'string', default: '1' },
  },
}).values;
const names = only?.split(',') ?? Object.keys(parts).filter((name) => !parts[name]!.env);
const unknown = names.filter((name) => !parts[name]);
if (unknown.length > 0) throw new Error(`--only knows ${Object.keys(parts).join(', ')}, not ${unknown.join(', ')}`);
const chosen = names.map((name) => parts[name]!);
if (chosen.length > 1 && chosen.some(({ env }) => env)) throw new Error('crowded and worker-memory run alone');

await runBench(async (stack) => {
  const [rounds, seconds, scale] = [extent.rounds, extent.seconds, extent.scale].map(Number) as [number, number, number];
  const bench = await startBench(stack, { parts: chosen, extent: { rounds, seconds, scale }, note, profile });
  return measure(bench, await machine(bench.pool));
});

async function measure(bench: Bench, facts: string): Promise<string> {
  await wait(3_000);
  const rest = await memoryOf(bench.processes);
  const lines: Line[] = [];
  for (const part of chosen) lines.push(...(await part.measure(bench, note)));
  const after = await memoryOf(bench.processes);
  return `${facts}\n\n${table(lines)}\n\n${memoryTable(rest, after)}`;
}
