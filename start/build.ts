import { buildBundle } from './bundle/build.ts';
import { buildPages } from './pages/build.ts';
import { describeError } from './process/run.ts';

/** Build the dashboard, the widget and the bundle of the processes, unless they are current. */
try {
  const onStep = (text: string) => void process.stderr.write(`${text}\n`);
  const { built, current, missing } = await buildPages(onStep);
  if (missing.length > 0) throw new Error(`${missing.join(' and ')}: vite is not installed. Run npm ci without --omit=dev.`);
  const bundle = await buildBundle(onStep);
  if (bundle === 'missing') throw new Error('The processes: rolldown is not installed. Run npm ci without --omit=dev.');
  process.stderr.write(
    `${[...built.map((name) => `${name} built`), ...current.map((name) => `${name} is current`), `processes ${bundle === 'built' ? 'bundled' : 'are current'}`].join(', ')}\n`,
  );
} catch (error) {
  process.stderr.write(`build: ${describeError(error)}\n`);
  process.exitCode = 1;
}
