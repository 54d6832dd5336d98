import { buildBundle } from './bundle.ts';
import { buildPages } from './page-builds.ts';
import { describeError } from './process/run.ts';

/** Build the dashboard and the widget unless they are current, and bundle the processes for the image. */
try {
  const { built, current, missing } = await buildPages((text) => void process.stderr.write(`${text}\n`));
  if (missing.length > 0) throw new Error(`${missing.join(' and ')}: vite is not installed. Run npm ci without --omit=dev.`);
  process.stderr.write('bundling the processes\n');
  await buildBundle();
  const pages = [...built.map((name) => `${name} built`), ...current.map((name) => `${name} is current`)];
  process.stderr.write(`${pages.join(', ')}, processes bundled\n`);
} catch (error) {
  process.stderr.write(`build: ${describeError(error)}\n`);
  process.exitCode = 1;
}
