import { ProviderFault } from '../../platform/model/faults.ts';
import { researchWeb, searchEndpoint, searchWeb } from '../../platform/model/web-search.ts';
import { serve } from '../support/http-server.ts';
import { fault, json, startProvider } from './support/provider.ts';
import { modelAt } from './support/samples.ts';

const text = 'The DD18 weighs 1.2 kg (torvik.example).\nIt came out in 2024 (news.example).';
const cite = (url: string, title: string, from: string) => ({
  type: 'url_citation',
  url,
  title,
  start_index: text.indexOf(from),
  end_index: text.indexOf(from) + from.length,
});
const found = json(200, {
  id: 'r1',
  object: 'response',
  output: [
    { type: 'web_search_call', id: 'w1', status: 'completed' },
    {
      type: 'message',
      content: [
        {
          type: 'output_text',
          text,
          annotations: [
            cite('https://torvik.example/dd18', 'DD18', '(torvik.example)'),
            cite('https://news.example/', 'News', '(news.example)'),
          ],
        },
      ],
    },
  ],
});

test('each cited page of the search is a source with its cited lines', async () => {
  await using provider = await startProvider(found);
  const sources = await researchWeb(modelAt(provider.url, { webSearch: 'on' }), 'pro-v1', 'Torvik DD18');
  expect(sources).toEqual([
    {
      id: 'w1',
      kind: 'search',
      url: 'https://torvik.example/dd18',
      title: 'DD18',
      text: 'The DD18 weighs 1.2 kg (torvik.example).',
    },
    { id: 'w2', kind: 'search', url: 'https://news.example/', title: 'News', text: 'It came out in 2024 (news.example).' },
  ]);
  expect(provider.received).toMatchObject([{ path: '/v1/responses', body: { model: 'large', tools: [{ type: 'web_search' }] } }]);
});

test.each([400, 404])('a provider that answers %i to every search has no web search, and is not retried', async (status) => {
  await using provider = await startProvider(json(status, fault(null)));
  const model = modelAt(provider.url, { webSearch: 'on' });
  expect(await researchWeb(model, 'pro-v1', 'Torvik DD18')).toEqual([]);
  expect(await researchWeb(model, 'pro-v1', 'Torvik DD18')).toEqual([]);
  expect(provider.received).toHaveLength(2);
});

test('a rejected search does not disable web search for others', async () => {
  const refused = json(400, fault('invalid_prompt'));
  await using provider = await startProvider((...turn) => {
    const [, { body }] = turn;
    return (JSON.stringify(body).includes('forbidden') ? refused : found)(...turn);
  });
  const model = modelAt(provider.url, { webSearch: 'on' });
  await expect(researchWeb(model, 'pro-v1', 'forbidden')).rejects.toThrow('refused the request');
  expect(await researchWeb(model, 'pro-v1', 'Torvik DD18')).toHaveLength(2);
  await expect(researchWeb(model, 'pro-v1', 'forbidden')).rejects.toThrow('refused the request');
  expect(provider.received).toHaveLength(4);
});

test.each(['auto', 'off'] as const)('with web search %s a compatible provider gets no search request', async (webSearch) => {
  await using provider = await startProvider(found);
  expect(await researchWeb(modelAt(provider.url, { webSearch }), 'pro-v1', 'Torvik DD18')).toEqual([]);
  expect(provider.received).toHaveLength(0);
});

test('other search errors are not ignored', async () => {
  await using provider = await startProvider(json(500, fault(null)));
  await expect(researchWeb(modelAt(provider.url, { webSearch: 'on' }), 'pro-v1', 'x')).rejects.toThrow(
    'it answered with status 500',
  );
});

test.each([
  [429, { 'retry-after': '7' }, { isThrottled: true, retryAfterMs: 7_000 }],
  [429, {}, { isThrottled: true, retryAfterMs: undefined }],
  [503, { 'retry-after': '1' }, { isThrottled: false, retryAfterMs: 1_000 }],
])('a search endpoint that answers %i with %j is asked later', async (status, headers, expected) => {
  const { url } = await serve((_, response) => void response.writeHead(status, headers).end());
  const endpoint = searchEndpoint(`${url}/search`);
  try {
    const error = await endpoint.search('Torvik DD18').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProviderFault);
    expect(error).toMatchObject(expected);
  } finally {
    await endpoint.close();
  }
});

test('titles and texts that a search cuts within a character can be stored', async () => {
  const results = [
    { url: 'https://torvik.example/', title: 'Torvik \ud83d', content: 'Drill\u0000 18 V \ud83d' },
    { url: 'https://news.example/\u0000', title: 'News', content: 'x' },
  ];
  const { url } = await serve((_, response) => void response.end(JSON.stringify({ results })));
  const endpoint = searchEndpoint(`${url}/search`);
  await using provider = await startProvider(found);
  const services = { model: modelAt(provider.url, { webSearch: 'off' }), searchEndpoint: endpoint };
  try {
    expect(await searchWeb(services, 'pro-v1', { question: 'x', terms: 'x' })).toEqual([
      { kind: 'search', url: 'https://torvik.example/', title: 'Torvik \ufffd', text: 'Drill 18 V \ufffd' },
    ]);
  } finally {
    await endpoint.close();
  }
});
