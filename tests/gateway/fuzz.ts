import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { jest } from '../runner/command.ts';

const options = {
  runs: { type: 'string', default: '20000' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
} as const;
const { runs, seed } = parseArgs({ options }).values;
process.stderr.write(`seed ${seed}\n`);
const files = ['plan', 'world', 'world-events', 'faulty-subgraphs', 'defer'].map((name) => `tests/gateway/plan/${name}.test.ts`);

/** Runs the generated gateway tests without a time limit: `npm run fuzz:gateway -- --runs 100000 --seed 7`. */
spawn(process.execPath, [...jest, ...files, '--testTimeout', String(24 * 3_600_000)], {
  stdio: 'inherit',
  env: { ...process.env, PLAN_RUNS: runs, PLAN_SEED: seed },
}).once('exit', (code) => process.exit(code ?? 1));
