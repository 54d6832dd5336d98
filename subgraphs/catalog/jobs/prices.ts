import type { Word } from '../../../schema/words.ts';

/** Credits for one item, by model tier. A parent is put together from its variants without a model, so it costs less. */
export const prices: Record<Word<'JobKind'>, Record<Word<'ModelType'>, { product: number; parent: number }>> = {
  'product-enrichment': { 'budget-v1': { product: 1, parent: 0.25 }, 'pro-v1': { product: 5, parent: 0.5 } },
  'brand-enrichment': { 'budget-v1': { product: 1, parent: 1 }, 'pro-v1': { product: 5, parent: 5 } },
  'product-category-enrichment': { 'budget-v1': { product: 1, parent: 1 }, 'pro-v1': { product: 5, parent: 5 } },
  'product-validation': { 'budget-v1': { product: 1, parent: 0.25 }, 'pro-v1': { product: 5, parent: 0.5 } },
  'product-market-analysis': { 'budget-v1': { product: 2, parent: 2 }, 'pro-v1': { product: 10, parent: 10 } },
  // A page of a file: some fifty rows, or as much text.
  'ai-import': { 'budget-v1': { product: 1, parent: 1 }, 'pro-v1': { product: 5, parent: 5 } },
};
