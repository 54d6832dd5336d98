import { createDatabase } from '../support/database.ts';
import { color, seedCatalog } from '../support/enrichment.ts';
import type { OpenSystem } from '../support/system.ts';
import { openMarket, openShopping } from './market.ts';
import { type Hit, openSearch, openShops } from './shops.ts';

const product = { name: 'Torvik Drill DD18', brand: 'Torvik', mpn: 'DD18-2' };
const about = '<h1>Torvik Drill DD18-2</h1>';
const pages = {
  '/plain': `${about}<p>Price: €129.90</p><p>In stock</p>`,
  '/reduced': `${about}<p>Now 1.099,00 €, was 1.299,00 €</p><p>Only 2 left</p><p>Shipping: €4.90</p>`,
  '/stated': `${about}<script type="application/ld+json">{"@type":"Product","name":"Torvik DD18-2","offers":{"price":"119.00","priceCurrency":"GBP","availability":"https://schema.org/OutOfStock"}}</script><p>A drill.</p>`,
  '/other': '<h1>Torvik Drill DD20-1</h1><p>Price: €99.00</p>',
  '/unpriced': `${about}<p>Ask for a price.</p>`,
  '/third': `${about}<p>Colour: red. Price: $ 140</p>`,
};

let shops: Awaited<ReturnType<typeof openShops>>;
let search: Awaited<ReturnType<typeof openSearch>>;
let own: Awaited<ReturnType<typeof createDatabase>>;
let system: OpenSystem;
let answer: (terms: string) => Hit[] | number;

beforeAll(async () => {
  shops = await openShops(pages);
  search = await openSearch((terms) => answer(terms));
  own = await createDatabase();
  system = await openShopping(own, [shops.host], { SEARCH_URL: search.url });
});
afterAll(async () => {
  await system.stop();
  await own.drop();
});
beforeEach(() => {
  answer = () => hits('/plain');
  search.asked.length = 0;
});

const hits = (...paths: string[]): Hit[] => paths.map((path) => ({ url: shops.link(path), title: 'A shop', content: '€1.00' }));
const open = () => openMarket({ url: system.url, databaseUrl: own.url });

test('offers come from the pages of a search, and pages of other products yield none', async () => {
  answer = () => hits('/plain', '/reduced', '/stated', '/other', '/unpriced', '/gone');
  const { addProducts, analyse } = await open();
  const [id] = await addProducts([product]);
  const { job, items } = await analyse([id!]);
  expect(job.status).toBe('completed');
  const common = { id: expect.any(String), source: shops.host };
  expect(items).toEqual([
    {
      id: expect.any(String),
      jobId: job.id,
      productId: id,
      status: 'completed',
      results: [
        { ...common, price: 129.9, currency: 'EUR', availability: 'in_stock', link: shops.link('/plain') },
        {
          ...common,
          price: 1099,
          originalPrice: 1299,
          currency: 'EUR',
          availability: 'limited_stock',
          link: shops.link('/reduced'),
        },
        { ...common, price: 119, currency: 'GBP', availability: 'out_of_stock', link: shops.link('/stated') },
      ],
    },
  ]);
});

test('the second tier searches more, reads more pages, and costs more', async () => {
  answer = (terms) => (terms.includes('marketplace') ? hits('/third') : hits('/plain'));
  const { addProducts, analyse, balance } = await open();
  const ids = await addProducts([product]);
  const before = await balance();
  expect((await analyse(ids)).items[0].results).toHaveLength(1);
  expect(search.asked).toHaveLength(1);
  expect(search.asked[0]).toContain('Torvik Drill DD18');
  expect((await analyse(ids, 'pro-v1')).items[0].results).toMatchObject([
    { price: 129.9, currency: 'EUR' },
    { price: 140, currency: 'USD', availability: 'unknown' },
  ]);
  expect(search.asked).toHaveLength(4);
  expect(before - (await balance())).toBe(12);
});

test('a search that finds nothing completes without results', async () => {
  answer = () => [];
  const { addProducts, analyse } = await open();
  expect((await analyse(await addProducts([product]))).items).toMatchObject([{ status: 'completed', results: [] }]);
});

test('unreadable pages and private addresses yield no offers', async () => {
  answer = () => [{ url: shops.link('/gone') }, { url: `http://${search.host}/search?q=x&format=json` }];
  const { addProducts, analyse, balance } = await open();
  const ids = await addProducts([product]);
  const before = await balance();
  expect((await analyse(ids)).items).toMatchObject([
    { status: 'failed', errorMessage: 'Unable to fetch source data', results: [] },
  ]);
  expect(await balance()).toBe(before);
});

test('a search endpoint without JSON fails the item, and a short outage does not', async () => {
  const { addProducts, analyse } = await open();
  const ids = await addProducts([product]);
  answer = () => 403;
  expect((await analyse(ids)).items[0]).toMatchObject({
    status: 'failed',
    errorMessage: 'Web search is not available.',
  });
  expect(system.worker.output()).toContain('"status":403,"msg":"Search failed; the search endpoint must support the format json"');
  let tries = 0;
  answer = () => (++tries === 1 ? 503 : hits('/plain'));
  expect((await analyse(ids)).items[0]).toMatchObject({ status: 'completed', results: [{ price: 129.9 }] });
});

test('an enrichment reads the results of the search endpoint', async () => {
  answer = () => [{ url: shops.link('/third'), title: 'Torvik', content: 'Color: red' }];
  const { addProducts, enrich } = await seedCatalog([color], { url: system.url, databaseUrl: own.url });
  const { items } = await enrich(await addProducts([product]), { websearch: true });
  expect(items[0]).toMatchObject({
    enrichedData: { color: { value: 'red' } },
    provenance: [{ slug: 'color', sourceKind: 'search', sourceUrl: shops.link('/third') }],
  });
});
