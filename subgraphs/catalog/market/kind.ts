import { v7 as uuid } from 'uuid';
import { ProviderRefusal } from '../../../platform/model/index.ts';
import { toReadSources } from '../enrichment/sources.ts';
import { readOffers } from '../extraction/read-offers.ts';
import { ItemFailure, type JobKind } from '../jobs/kind.ts';
import { productOf } from '../products/job-items.ts';
import { findShopPages, marketplaceOf } from './pages.ts';
import type { MarketResult } from './result.ts';

/** Finds the prices that shops and marketplaces ask. Webhooks can subscribe to the `stopped` event, but it is never sent. */
export const productMarketAnalysis: JobKind = {
  concurrency: 10,
  adaptive: true,
  prices: { 'budget-v1': { item: 2 }, 'pro-v1': { item: 10 } },
  events: { start: 'product_market_analysis.start', completed: 'product_market_analysis.completed' },

  async process(scope, job, item) {
    const product = await productOf(scope, item);
    try {
      const pages = await findShopPages(scope, job.modelType, product);
      const sources = toReadSources(pages.map(({ url, title, text }) => ({ kind: 'page', url, title, text })));
      const { name, sku, brand, category, manufacturer, mpn } = product;
      const offers = await readOffers(scope.model, {
        tier: job.modelType,
        product: { name, sku, brand, category, manufacturer, mpn },
        sources: sources.map(({ contentHash: _, ...source }) => source),
        signal: scope.signal,
      });
      const results = sources.flatMap((source, at): MarketResult[] => {
        const offer = offers.offers.get(source.id);
        return offer ? [{ id: uuid(), source: marketplaceOf(pages[at]!), ...offer, link: pages[at]!.url }] : [];
      });
      return { item: { results } };
    } catch (error) {
      throw error instanceof ProviderRefusal ? new ItemFailure(error.message) : error;
    }
  },
};
