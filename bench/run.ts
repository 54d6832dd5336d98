import closeWithGrace from 'close-with-grace';
import { note } from './note.ts';

/** Run a bench: what it measured goes to standard output, and what it opened is closed, also when it is told to end. */
export async function runBench(work: (stack: AsyncDisposableStack) => Promise<string>): Promise<void> {
  const stack = new AsyncDisposableStack();
  closeWithGrace({ delay: 30_000 }, async ({ err }) => {
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
    // Told to end: what was being measured fails as its servers stop.
    if (!stack.disposed) throw error;
  }
}
