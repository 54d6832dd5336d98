import { createDatabase } from '../support/database.ts';
import { serve } from '../support/http-server.ts';
import { type OpenSystem, openSystem } from '../support/system.ts';
import { labels, seedLabels } from './labels.ts';

const question = /^Find what .*: (.+)$/;

/** A provider with web search, which finds a page for every name except `Nobody`. */
async function startSearchingProvider() {
  const asked: string[] = [];
  const { url } = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    response.setHeader('content-type', 'application/json');
    if (request.url !== '/v1/responses') {
      const answer = await fetch(new URL(request.url!, process.env.TEST_PROVIDER), { method: 'POST', body });
      return void response.writeHead(answer.status).end(await answer.text());
    }
    const [, label = ''] = question.exec(JSON.parse(body).input) ?? [];
    asked.push(label);
    response.end(JSON.stringify({ id: 'r1', object: 'response', output: label === 'Nobody' ? [] : [found(label)] }));
  });
  return { url: `${url}/v1`, asked };
}

function found(label: string) {
  const said = `Origin: Sweden (${label}.example)`;
  const at = said.indexOf('(');
  const citation = {
    type: 'url_citation',
    url: `https://${label}.example/`,
    title: label,
    start_index: at,
    end_index: said.length,
  };
  return { type: 'message', content: [{ type: 'output_text', text: said, annotations: [citation] }] };
}

let provider: Awaited<ReturnType<typeof startSearchingProvider>>;
let own: Awaited<ReturnType<typeof createDatabase>>;
let system: OpenSystem | undefined;
beforeAll(async () => {
  provider = await startSearchingProvider();
  own = await createDatabase();
  system = await openSystem({
    databaseUrl: own.url,
    provider: provider.url,
    env: { MODEL_WEB_SEARCH: 'on' },
  });
});
afterAll(async () => {
  await system?.stop();
  await own.drop();
});

test.each(labels)('a $label without products uses web search, one with products does not', async (words) => {
  const { addAttribute, addProducts, enrich } = await seedLabels(words, { url: system!.url, databaseUrl: own.url });
  await addAttribute({ slug: 'origin', name: 'Origin', type: 'text' });
  const [productId] = await addProducts('Linked', [{ userProvidedRawDataSources: ['Origin: Norway'] }]);
  provider.asked.length = 0;
  const { items } = await enrich([{ name: 'acme' }, { name: 'Linked' }, { name: 'Nobody' }], { useWebsearch: true });
  expect(provider.asked.sort()).toEqual(['Nobody', 'acme']);
  expect(items[0]).toMatchObject({
    status: 'completed',
    enrichedAttributes: { origin: { value: expect.stringContaining('Sweden') } },
    referenceData: { mode: 'websearch', urls: ['https://acme.example/'] },
  });
  expect(items[0].referenceData).not.toHaveProperty('productIds');
  expect(items[1]).toMatchObject({
    enrichedAttributes: { origin: { value: 'Norway' } },
    referenceData: { mode: 'products', productIds: [productId] },
  });
  expect(items[2]).toMatchObject({ status: 'failed', errorMessage: 'Unable to fetch source data', referenceData: null });
});
