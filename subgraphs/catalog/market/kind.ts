import {
  Arg,
  Args,
  Ctx,
  FieldResolver,
  Float,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { requireBalance } from '../../../platform/credits/index.ts';
import { type Bind, readRows } from '../../../platform/database/index.ts';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { ProviderRefusal, searchWeb } from '../../../platform/model/index.ts';
import type { WebPage } from '../../../platform/outbound/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { readPages, toReadSources } from '../enrichment/sources.ts';
import { readOffers } from '../extraction/read-offers.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { ItemFailure, type JobKind, type WorkScope } from '../jobs/job-kind.ts';
import { createJob, sliceItems } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import { productItems, productOf, requireProducts } from '../products/job-items.ts';

@InputType({ description: 'A job that finds the prices that shops and marketplaces ask for products.' })
class NewProductMarketAnalysisJob extends input({
  productIds: list(ID, { minItems: 1, description: 'Any number of products of the organization. Duplicates are ignored.' }),
  modelType: field(enumTypes.ModelType, '`pro-v1` searches more and reads more pages.'),
}) {}

class MarketAnalysisItemsArguments extends args({
  jobId: field(ID),
  limit: field(Int, { min: 1, max: 100, defaultValue: 50, description: 'Maximum number of items to return.' }),
  offset: field(Int, { min: 0, defaultValue: 0, description: 'Number of items to skip.' }),
}) {}

@ObjectType({ description: 'Consecutive items of a job.' })
class JobItemSlice extends output({
  nodes: list(JobItem),
}) {}

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

@ObjectType({ description: 'An offer of a shop or marketplace.' })
class MarketResult extends output({
  id: field(ID),
  source: field(String, 'Name of the shop or marketplace.'),
  price: field(Float, 'Current price of one piece without shipping.'),
  originalPrice: field(Float, { nullable: true, description: 'Price before the reduction, if the page states one.' }),
  currency: field(String, 'ISO 4217 code.'),
  availability: field(enumTypes.Availability, 'As the page states it.'),
  link: field(String, 'URL of the page that states the price.'),
}) {}

interface Reach {
  /** Search terms added to the product. */
  searches: string[];
  /** Number of pages to read, best hits of each search first. */
  pages: number;
}

/** The search effort of each tier. */
const reach: Record<EnumValue<'ModelType'>, Reach> = {
  'budget-v1': { searches: ['price buy online'], pages: 6 },
  'pro-v1': { searches: ['price buy online', 'marketplace offers in stock', 'shop best price comparison'], pages: 20 },
};

/**
 * Pages of shops that may offer the product. Throws `ItemFailure` if web search is not available or none of the pages can be
 * fetched.
 */
async function findShopPages(scope: WorkScope, tier: EnumValue<'ModelType'>, product: Product): Promise<WebPage[]> {
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
function marketplaceOf({ url, text }: Pick<WebPage, 'url' | 'text'>): string {
  const [, named] = /^Site: (.{1,100})$/m.exec(text) ?? [];
  return named?.trim() || new URL(url).host.replace(/^www\./, '');
}

@Access('member')
@Resolver()
export class MarketAnalysisResolver {
  @Query(() => JobItemSlice, { nullable: true, description: 'The items of a market analysis, in the order of the request.' })
  marketAnalysisItems(
    @Ctx() scope: RequestScope,
    @Args(() => MarketAnalysisItemsArguments) { jobId, ...part }: MarketAnalysisItemsArguments,
  ) {
    return sliceItems(scope, jobId, 'product-market-analysis', part);
  }

  /** Throws `OUT_OF_CREDITS`, and `NOT_FOUND` with `missingIds` for unknown products. */
  @Idempotent()
  @Mutation(() => Job, { description: 'Start a job that finds the prices that shops and marketplaces ask for products.' })
  async createProductMarketAnalysisJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductMarketAnalysisJob) { productIds, modelType }: NewProductMarketAnalysisJob,
  ) {
    await requireBalance(scope);
    const ids = await requireProducts(scope, productIds);
    const job = { kind: 'product-market-analysis', modelType, websearch: true, createdById: scope.caller.userId } as const;
    return createJob(scope, job, productItems(ids));
  }
}

@Resolver(() => JobItem)
export class AnalyzedItemResolver {
  // One offer per page; `pages.ts` limits the number of pages.
  @ListSize(20)
  @FieldResolver(() => [MarketResult], { description: 'The offers that a market analysis found.' })
  results(@Root() { results }: JobItem) {
    return results;
  }
}

@Resolver(() => Product)
export class AnalyzedProductResolver {
  @FieldResolver(() => JobItem, { nullable: true, description: 'The newest completed market analysis of the product.' })
  marketAnalysis(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Product) {
    return analysisOf(scope.within(organizationId), id);
  }
}

async function analysisOf(scope: RequestScope, productId: string): Promise<JobItem | null> {
  const read = scope.batch('market analyses of products', async (ids) => {
    const matching = (bind: Bind) => `r.id in (
      select i.id from unnest(${bind(ids)}::uuid[]) as p (id) cross join lateral (
        select i.id from catalog.job_items i join catalog.jobs j on j.id = i.job_id
         where i.product_id = p.id and i.status = 'completed' and j.kind = 'product-market-analysis'
           and i.organization_id = ${bind(scope.organizationId)}
         order by i.created_at desc, i.id desc limit 1) i)`;
    return new Map((await readRows(scope, JobItem, { matching })).map((item) => [item.productId!, item]));
  });
  return (await read(productId)) ?? null;
}
