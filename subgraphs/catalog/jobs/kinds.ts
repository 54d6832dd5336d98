import type { Word } from '../../../schema/words.ts';
import { productEnrichment } from '../enrichment/kind.ts';
import { aiImport } from '../imports/kind.ts';
import { labelEnrichment } from '../labels/kind.ts';
import { productMarketAnalysis } from '../market/kind.ts';
import { productValidation } from '../validation/kind.ts';
import type { Kind } from './kind.ts';

/** Every kind of job. A new one is a record here, a price and a word. */
export const kinds: Record<Word<'JobKind'>, Kind> = {
  'product-enrichment': productEnrichment,
  'brand-enrichment': labelEnrichment('brand'),
  'product-category-enrichment': labelEnrichment('category'),
  'product-validation': productValidation,
  'product-market-analysis': productMarketAnalysis,
  'ai-import': aiImport,
};
