import { reader } from '../../../../platform/reading/index.ts';
import type { tasks } from './tasks.ts';

/** Reads files of a site in a thread. Rejects with `ContentFault`. */
export const readSite = reader<typeof tasks>('pages', new URL('./tasks.ts', import.meta.url));
