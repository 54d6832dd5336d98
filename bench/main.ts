import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import closeWithGrace from 'close-with-grace';
import { measureEnrichment } from './enrichment.ts';
import { measureGrowth, measureListing } from './listing.ts';
import { memoryOf } from './memory.ts';
import { type Line, machine, memoryTable, table } from './report.ts';
import { type Bench, startBench } from './system.ts';

const parts = { listing: measureListing, growth: measureGrowth, enrichment: measureEnrichment };
const { only, profile } = parseArgs({ options: { only: { type: 'string' }, profile: { type: 'string' } } }).values;
const chosen = only?.split(',') ?? Object.keys(parts);

const stack = new AsyncDisposableStack();
closeWithGrace({ delay: 30_000 }, async ({ err }) => {
  if (err) process.stderr.write(`bench: ${err.stack}\n`);
  await stack.disposeAsync();
});

try {
  const bench = await startBench(stack, note, profile);
  const facts = await machine(bench.pool);
  process.stdout.write(`${await measure(bench, facts)}\n`);
  note('stopping');
  await stack.disposeAsync();
  note('');
  process.exit(0);
} catch (error) {
  // Told to end: what was being measured fails as its servers stop.
  if (!stack.disposed) throw error;
}

async function measure({ processes, ...bench }: Bench, facts: string): Promise<string> {
  await wait(3_000);
  const rest = await memoryOf(processes);
  const lines: Line[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (chosen.includes(name)) lines.push(...(await part({ processes, ...bench }, note)));
  }
  const after = await memoryOf(processes);
  note('');
  return `${facts}\n\n${table(lines)}\n\n${memoryTable(rest, after)}`;
}

/** What is being done, on one line that is written over; line by line where nobody watches. */
function note(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  else if (text) process.stderr.write(`${text}\n`);
}
