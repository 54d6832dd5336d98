import { openShopping } from '../market/market.ts';
import { createDatabase } from '../support/database.ts';
import { serve } from '../support/http-server.ts';
import { openValidation, value } from './validation.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('each validation reads a page again, and stores its images on request', async () => {
  let weight = '1.5 kg';
  const { host } = await serve((request, response) => {
    if (request.url === '/k.png') return void response.setHeader('content-type', 'image/png').end(PIXEL);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<html><body><main><p>Weight: ${weight}</p><img src="/k.png" alt="The kettle"></main></body></html>`);
  });
  const own = await createDatabase();
  const system = await openShopping(own, [host]);
  try {
    const { addProducts, validate, product } = await openValidation({ url: system.url, databaseUrl: own.url });
    const attributes = { weight: value('number', 1.5) };
    const [id] = await addProducts([{ attributes, userProvidedRawDataSources: [`http://${host}/kettle`] }]);
    expect((await validate([id!])).items[0]).toMatchObject({ overallScore: 95 });
    expect((await product(id!, 'images { url }')).images).toEqual([]);
    weight = '2.5 kg';
    expect((await validate([id!], { extractImages: true })).items[0]).toMatchObject({ overallScore: 5 });
    expect((await product(id!, 'images { url alt }')).images).toEqual([{ url: `http://${host}/k.png`, alt: 'The kettle' }]);
  } finally {
    await system.stop();
    await own.drop();
  }
});
