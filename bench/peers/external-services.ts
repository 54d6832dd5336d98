import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';
import { runProcess } from '../../start/process/run.ts';
import { offers, reply, verdicts } from '../fixtures.ts';

interface Completion {
  stream?: boolean;
  messages: { role: string; content: string }[];
  response_format: { json_schema: { name: string } };
}

/** A reply for each requested schema; the products of a page are its rows. */
const replies: Record<string, (request: Completion) => unknown> = {
  attributes: () => reply,
  validation: () => verdicts,
  offers: () => offers,
  products: ({ messages }) => ({ products: listed(JSON.parse(messages.at(-1)!.content).rows) }),
};

const listed = (rows: string[][]) =>
  rows.map(([sku, name, brand]) => ({
    name,
    sku,
    brand,
    category: null,
    manufacturer: null,
    mpn: null,
    family: null,
    options: [],
  }));

/**
 * A model provider, a search engine, a shop and a webhook receiver with immediate constant responses, so that the benchmark
 * measures only the product. `[[delay 5000]]` in a source text delays the response of the model by five seconds.
 */
await runProcess('stub', async () => {
  const app = fastify({ bodyLimit: 10 * 1024 * 1024 });
  app.post<{ Body: Completion }>('/v1/chat/completions', async ({ body }, answer) => {
    const [, delay] = /\[\[delay (\d+)\]\]/.exec(body.messages.at(-1)!.content) ?? [];
    if (delay) await sleep(Number(delay));
    if (body.stream) return answer.type('text/event-stream').send(Readable.from(chunks()));
    return answer.send({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      created: 0,
      model: 'bench',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: contentFor(body), refusal: null } }],
      usage: { prompt_tokens: 700, completion_tokens: 120, total_tokens: 820 },
    });
  });
  app.get('/search', ({ host }) => ({
    results: [1, 2, 3].map((page) => ({ url: `http://${host}/shop/${page}`, title: `Offer ${page}`, content: 'Color: red.' })),
  }));
  app.get('/shop/:page', (_, answer) => void answer.type('text/html; charset=utf-8').send(SHOP));
  app.post('/hook', (_, answer) => void answer.code(204).send());
  app.post('/hook/hang', () => new Promise<never>(() => {}));

  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const addresses = { model: `${url}/v1`, search: `${url}/search`, hook: `${url}/hook` };
  return { addresses, close: () => app.close() };
});

const TOKENS = 20;
const TOKEN_INTERVAL = 20;

async function* chunks(): AsyncGenerator<string> {
  const line = (choice: object) => `data: ${JSON.stringify({ id: 'c', model: 'bench', choices: [{ index: 0, ...choice }] })}\n\n`;
  for (let sent = 0; sent < TOKENS; sent += 1) {
    if (sent > 0) await sleep(TOKEN_INTERVAL);
    yield line({ delta: { content: `word${sent} ` }, finish_reason: null });
  }
  yield `${line({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`;
}

function contentFor(request: Completion): string {
  const { name } = request.response_format.json_schema;
  return JSON.stringify(replies[name]!(request));
}

const SHOP = `<!doctype html><html lang="en"><head><title>Piece in red oak</title><meta property="og:site_name" content="Fennel"></head><body>
<nav><a href="/">Home</a> <a href="/all">All</a></nav>
<main><h1>Piece in red oak</h1><p>A sturdy piece for daily use, made in small series.</p>
<table><tr><th>Color</th><td>red</td></tr><tr><th>Weight</th><td>2.4 kg</td></tr></table>
<p>Price: 24.90 EUR, was 29.90 EUR. In stock.</p></main></body></html>`;
