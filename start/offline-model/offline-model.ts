import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readEnvironment } from '../../schema/environment.ts';
import { CustomerShop } from '../sample/customer-shop.ts';
import { complete } from './completions.ts';
import { embed } from './embeddings.ts';
import { invalid, OFFLINE_MODEL, RequestError } from './openai-protocol.ts';
import { searchShops, shopPage, sourcePage } from './sample-sites.ts';

export interface OfflineModel {
  /** Base URL for an OpenAI client; ends in `/v1`. */
  url: string;
  /** Base URL of the sample pages: `<pages>/<slug>.html`. */
  pages: string;
  /** Base URL of the sample orders: `<orders>/<number>`. */
  orders: string;
  /** The sample shop, whose page has the chat and signs demo customers in. */
  shop: CustomerShop;
  shopUrl: string;
  /** Base URL of the orders of customers: `<customers>/<id>/orders`. */
  customers: string;
  /** URL of a search engine that knows only the pages of the sample shops. */
  search: string;
  /** URL of a receiver of webhooks, which accepts everything. */
  hooks: string;
  close(): Promise<void>;
}

/** Large enough for images in base64. */
const MOST_BYTES = 64_000_000;

/** Start an OpenAI-compatible server that extracts values from its input without a language model. For local development only. */
export async function startOfflineModel({ port = 0 }: { port?: number } = {}): Promise<OfflineModel> {
  const server = createServer((request, response) => void answer(request, response, shop));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const shop = new CustomerShop(origin);
  return {
    url: `${origin}/v1`,
    pages: `${origin}/pages`,
    orders: `${origin}/orders`,
    shop,
    shopUrl: `${origin}/shop`,
    customers: `${origin}/customers`,
    search: `${origin}/search`,
    hooks: `${origin}/hooks`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

type RouteHandler = (response: ServerResponse, body: unknown, url: URL) => void | Promise<void>;

const routes: [method: string, path: RegExp, answer: RouteHandler][] = [
  ['POST', /^\/v1\/chat\/completions$/, complete],
  ['POST', /^\/v1\/embeddings$/, (response, body) => sendJson(response, 200, embed(body))],
  ['GET', /^\/v1\/models$/, (response) => sendJson(response, 200, { object: 'list', data: [modelCard] })],
  ['GET', /^\/pages\/[a-z0-9-]+\.html$/, (response, _, { pathname }) => sourcePage(response, pathname)],
  ['GET', /^\/shops\/[a-z0-9-]+\/[a-z0-9-]+\.html$/, (response, _, { pathname }) => shopPage(response, pathname)],
  ['GET', /^\/search$/, (response, _, url) => searchShops(response, url)],
  ['POST', /^\/hooks$/, (response) => sendJson(response, 200, { received: true })],
];

const modelCard = { id: OFFLINE_MODEL, object: 'model', created: 0, owned_by: 'this machine' };

async function answer(request: IncomingMessage, response: ServerResponse, shop: CustomerShop): Promise<void> {
  try {
    if (await shop.answer(request, response)) return;
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
    const route = routes.find(([method, pattern]) => method === request.method && pattern.test(url.pathname));
    if (!route) throw new RequestError(404, `Unknown request URL: ${request.method} ${url.pathname}`, 'unknown_url');
    await route[2](response, request.method === 'POST' ? await readJson(request) : undefined, url);
  } catch (error) {
    const known =
      error instanceof RequestError ? error : new RequestError(500, 'The offline model failed on this request', 'server_error');
    if (response.headersSent) response.destroy();
    else sendJson(response, known.status, { error: known.body });
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new RequestError(413, 'The request is too large', 'request_too_large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw invalid('We could not parse the JSON body of your request.', null);
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

// Runs only the offline model, for other clients of the OpenAI API.
if (import.meta.main) {
  const { url } = await startOfflineModel({ port: readEnvironment(['PORT']).PORT });
  process.stdout.write(`The offline model listens on ${url}\n`);
}
