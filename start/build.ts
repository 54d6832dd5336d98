import { buildPages } from './pages/build.ts';
import { describeError } from './process.ts';

/** Build the dashboard and the widget for production, unless their builds are current. */
try {
  const { built, current, missing } = await buildPages((text) => process.stderr.write(`${text}\n`));
  if (missing.length > 0) throw new Error(`${missing.join(' and ')}: vite is not installed. Run npm ci without --omit=dev.`);
  process.stderr.write(`${[...built.map((name) => `${name} built`), ...current.map((name) => `${name} is current`)].join(', ')}\n`);
} catch (error) {
  process.stderr.write(`build: ${describeError(error)}\n`);
  process.exitCode = 1;
}
