import type { tasks } from './content-tasks.ts';
import { reader } from './reading.ts';

/** Runs the tasks of pages, HTML and images. Rejects with `ContentFault`, or the reason of the signal. */
export const readContent = reader<typeof tasks>('pages', new URL('./content-tasks.ts', import.meta.url));
