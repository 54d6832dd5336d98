import type { JobKind } from '../jobs/job-kind.ts';
import { editPage, undoPage } from './pages.ts';
import { definitionsOf } from './service.ts';
import type { ProductEdit } from './types.ts';

/**
 * Edits many products. An item is a page of products, which the transaction that completes the item edits as a whole. Items run one after the
 * other, because they would wait for the same counters.
 */
export const productEdit: JobKind = {
  concurrency: 1,
  prices: { 'budget-v1': { item: 0 }, 'pro-v1': { item: 0 } },
  completesRunningItems: true,
  changesAsCreator: true,
  notRepeatable: 'A bulk edit is started again from its products.',
  notRetryable: 'A bulk edit is started again from its products.',

  async process(scope, job, item) {
    if (job.undoOfId) return { item: {}, apply: (inner) => undoPage(inner, job, item) };
    const definitions = await definitionsOf(scope, (job.edits ?? []) as ProductEdit[]);
    return { item: {}, apply: (inner) => editPage(inner, job, item, definitions) };
  },
};
