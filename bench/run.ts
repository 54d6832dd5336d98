import { closeOnce } from '../start/servers/signals.ts';
import { note } from './progress.ts';

/** Run a benchmark, print its results on standard output and close its resources, also after a signal. */
export async function runBench(work: (stack: AsyncDisposableStack) => Promise<string>): Promise<void> {
  const stack = new AsyncDisposableStack();
  closeOnce(30_000, async (err) => {
    if (err) process.stderr.write(`bench: ${err.stack}\n`);
    await stack.disposeAsync();
  });
  try {
    const measured = await work(stack);
    note('');
    process.stdout.write(`${measured}\n`);
    note('stopping');
    await stack.disposeAsync();
    note('');
    process.exit(0);
  } catch (error) {
    // After a signal, running measurements fail because their servers stop.
    if (!stack.disposed) throw error;
  }
}
