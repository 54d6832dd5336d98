import { readFileSync } from 'node:fs';

const file = new URL('../schema/idempotent-operations.json', import.meta.url);

/** The mutations that take an `Idempotency-Key`, also of subgraphs in processes of their own. */
export const idempotent = JSON.parse(readFileSync(file, 'utf8')) as string[];
