import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns the memory that only the start needed to the system: sources, parsed schemas, compiled code. V8 would keep it until its heap is
 * full. Blocks the process for about 0.1 s, so call it before the process is ready. The system gets the memory within ten seconds.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  setFlagsFromString('--no-expose-gc');
  // The flavor `last-resort` collects twice, for the same result.
  collect({ type: 'major', execution: 'sync' });
}
