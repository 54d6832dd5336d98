import { v7 as uuid } from 'uuid';
import { ProviderRefusal } from '../../common/model/faults.ts';
import { readOffers } from '../../common/model/offers.ts';
import { findProduct } from '../enrichment/item.ts';
import { numbered } from '../enrichment/sources.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { Kind } from '../jobs/kind.ts';
import { prices } from '../jobs/prices.ts';
import { findShopPages, marketplaceOf } from './pages.ts';
import type { MarketResult } from './result.ts';

/** Find what shops and marketplaces ask for products. */
export const productMarketAnalysis: Kind = {
  concurrency: 10,
  price: async (_scope, { kind, modelType }) => prices[kind][modelType].product,

  async process(scope, job, item) {
    const product = await findProduct(scope, item);
    try {
      const pages = await findShopPages(scope, job.modelType, product);
      const sources = numbered(pages.map(({ url, title, text }) => ({ kind: 'page', url, title, text })));
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
