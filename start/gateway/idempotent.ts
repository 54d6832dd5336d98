import { readFileSync } from 'node:fs';

const file = new URL('../../schema/idempotent-operations.json', import.meta.url);

/** The mutations that accept an `Idempotency-Key`, including those of separate subgraph processes. */
export const idempotent = JSON.parse(readFileSync(file, 'utf8')) as string[];
