import type { Movement } from '../../../platform/credits/index.ts';

/** Credits of this number of embedded texts: new passages of a source, or questions of retrieval tests. */
export const embeddingPrice = (texts: number): number => texts / 1_000;

/** One entry of the ledger for each run. */
export const indexingCharge = (sourceId: string, run: number, passages: number): Movement => ({
  amount: -embeddingPrice(passages),
  reason: 'indexing',
  reference: `source:${sourceId}:${run}`,
});

/** One entry of the ledger for each UTC day. */
export const retrievalTestCharge = (now: Date): Movement => ({
  amount: -embeddingPrice(1),
  reason: 'retrieval test',
  reference: `retrieval-test:${now.toISOString().slice(0, 10)}`,
});
