import { createHash, randomUUID } from 'node:crypto';
import { createDatabase } from '../support/database.ts';
import { color, originOf, seedCatalog, weight } from '../support/enrichment.ts';
import { serve } from '../support/http-server.ts';
import { type OpenSystem, openSystem } from '../support/system.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PAGE =
  '<html><head><title>Kettle K1</title></head><body><main><h1>Kettle K1</h1><p>Weight: 1.5 kg</p><img src="/kettle.png" alt="The kettle"><img src="/fake.png" alt="None"></main></body></html>';

let origin: string;
let own: Awaited<ReturnType<typeof createDatabase>>;
let system: OpenSystem;

beforeAll(async () => {
  const site = await serve((request, response) => {
    if (request.url === '/kettle.png') return void response.setHeader('content-type', 'image/png').end(PIXEL);
    if (request.url === '/kettle') return void response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
    response
      .setHeader('content-type', 'image/png')
      .writeHead(request.url === '/fake.png' ? 200 : 404)
      .end('no picture');
  });
  origin = site.url;
  own = await createDatabase();
  // The shared test system may only connect to its provider.
  system = await openSystem({
    databaseUrl: own.url,
    env: { OUTBOUND_ALLOW_HOSTS: `${new URL(process.env.TEST_PROVIDER!).host},${site.host}` },
  });
});
afterAll(async () => {
  await system.stop();
  await own.drop();
});

const seed = () => seedCatalog([color, weight], { url: system.url, databaseUrl: own.url });

test('a page is read, and the value cites page, quote and text', async () => {
  const { addProducts, enrich } = await seed();
  const { items } = await enrich(await addProducts([{ userProvidedRawDataSources: [`${origin}/kettle`, 'Color: red'] }]));
  expect(items[0].enrichedData).toMatchObject({ weight: { value: 1.5 }, color: { value: 'red' } });
  const [fromPage, fromText] = ['weight', 'color'].map((slug) => originOf(items[0].provenance, slug));
  expect(fromPage).toMatchObject({
    sourceKind: 'page',
    sourceUrl: `${origin}/kettle`,
    snippet: 'Weight: 1.5 kg',
    contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(fromText).toMatchObject({ sourceKind: 'text', sourceUrl: null });
});

test('images of a page are stored once, and only on request', async () => {
  const { addProducts, enrich, product } = await seed();
  const images = async (id: string) => (await product(id, 'images { url sourceUrl alt mime bytes contentHash }')).images;
  const ids = await addProducts([{ userProvidedRawDataSources: [`${origin}/kettle`] }]);
  await enrich(ids);
  expect(await images(ids[0]!)).toEqual([]);
  await enrich(ids, { extractImages: true });
  await enrich(ids, { extractImages: true });
  expect(await images(ids[0]!)).toEqual([
    {
      url: `${origin}/kettle.png`,
      sourceUrl: `${origin}/kettle`,
      alt: 'The kettle',
      mime: 'image/png',
      bytes: PIXEL.length,
      contentHash: createHash('sha256').update(PIXEL).digest('hex'),
    },
  ]);
});

test('an unreadable page fails the item if it is the only source', async () => {
  const { addProducts, enrich } = await seed();
  const { job, items } = await enrich(
    await addProducts([{ name: 'Kettle 2 kg', userProvidedRawDataSources: [`${origin}/nowhere`] }]),
  );
  expect(job.status).toBe('completed_with_errors');
  expect(items[0]).toMatchObject({ status: 'failed', errorMessage: 'Unable to fetch source data', cost: 0 });
});

test('an unreadable page does not affect other sources', async () => {
  const { addProducts, enrich } = await seed();
  const { items } = await enrich(await addProducts([{ userProvidedRawDataSources: [`${origin}/nowhere`, 'Weight: 2 kg'] }]));
  expect(items[0]).toMatchObject({ status: 'completed', enrichedData: { weight: { value: 2 } } });
});

test.each(['127.0.0.1:1', 'localhost', '169.254.169.254', '10.0.0.1', '[::1]'])(
  '%s is not fetched: nobody listed it',
  async (host) => {
    const { addProducts, enrich } = await seed();
    const { items } = await enrich(await addProducts([{ userProvidedRawDataSources: [`http://${host}/kettle`] }]));
    expect(items[0]).toMatchObject({ status: 'failed', errorMessage: 'Unable to fetch source data' });
  },
);

test('the shared system, without an allow-list, does not fetch the page either', async () => {
  const { addProducts, enrich } = await seedCatalog([weight]);
  const { items } = await enrich(await addProducts([{ userProvidedRawDataSources: [`${origin}/kettle`] }]));
  expect(items[0]).toMatchObject({ status: 'failed', errorMessage: 'Unable to fetch source data' });
});

test('an image that the provider rejects does not fail the item, whose other sources are read', async () => {
  const { addProducts, enrich, product } = await seed();
  const rejecting = (times: number) => `Color: red\n[[provider: 400 ${times} ${randomUUID()}]]`;
  const ids = await addProducts([
    { userProvidedRawDataSources: [`${origin}/kettle`, rejecting(1)] },
    { userProvidedRawDataSources: [`${origin}/kettle`, rejecting(2)] },
    { userProvidedRawDataSources: [rejecting(1)] },
  ]);
  const { items } = await enrich(ids, { extractImages: true });
  expect(items[0]).toMatchObject({ status: 'completed', enrichedData: { color: { value: 'red' } } });
  expect((await product(ids[0]!, 'images { url }')).images).toEqual([{ url: `${origin}/kettle.png` }]);
  const failed = { status: 'failed', errorMessage: 'The model provider refused the request with status 400.' };
  expect(items.slice(1)).toMatchObject([failed, failed]);
});
