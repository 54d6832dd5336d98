import { searchWeb } from '../../../platform/model/index.ts';
import type { Page } from '../../../platform/outbound/index.ts';
import type { Word } from '../../../schema/words.ts';
import { readPages } from '../enrichment/sources.ts';
import type { WorkScope } from '../jobs/kind.ts';
import { ItemFailure } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';

interface Reach {
  /** Search terms added to the product. */
  searches: string[];
  /** Number of pages to read, best hits of each search first. */
  pages: number;
}

/** The search effort of each tier. */
const reach: Record<Word<'ModelType'>, Reach> = {
  'budget-v1': { searches: ['price buy online'], pages: 6 },
  'pro-v1': { searches: ['price buy online', 'marketplace offers in stock', 'shop best price comparison'], pages: 20 },
};

/**
 * Pages of shops that may offer the product. Throws `ItemFailure` if web search is not available or none of the pages can be
 * fetched.
 */
export async function findShopPages(scope: WorkScope, tier: Word<'ModelType'>, product: Product): Promise<Page[]> {
  const { searches, pages: most } = reach[tier];
  const found = await Promise.all(searches.map((search) => searchWeb(scope, tier, questionAbout(product, search))));
  if (found.some((each) => each === undefined)) throw new ItemFailure('Web search is not available.');

  const urls = byRank(found.map((each) => each?.flatMap(({ url }) => url ?? []) ?? [])).slice(0, most);
  const pages = await readPages(scope, urls);
  if (urls.length > 0 && pages.length === 0) throw new ItemFailure('Unable to fetch source data');
  return pages;
}

/** Interleaves the lists by rank, without duplicates. */
function byRank(lists: string[][]): string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return [...new Set(Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list[rank] ?? [])).flat())];
}

function questionAbout({ name, brand, mpn }: Product, search: string) {
  const terms = [brand, name, mpn].filter(Boolean).join(' ');
  return {
    question: `Find product pages of shops and marketplaces that sell ${terms} now (${search}). Cite the page of each offer.`,
    terms: `${terms} ${search}`,
  };
}

/** The site name that the page states, or its host. */
export function marketplaceOf({ url, text }: Pick<Page, 'url' | 'text'>): string {
  const [, named] = /^Site: (.{1,100})$/m.exec(text) ?? [];
  return named?.trim() || new URL(url).host.replace(/^www\./, '');
}
