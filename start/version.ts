import { readFileSync } from 'node:fs';

/** The product version in the API documents. */
export const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
