import type { ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { sampleProducts } from '../sample/sample-products.ts';
import { type SampleOffer, type SampleShop, sampleShops } from '../sample/shops.ts';
import { samplePage } from '../sample/source-pages.ts';
import { RequestError } from './openai-protocol.ts';
import { escapeHtml } from './reading/prose.ts';
import { tokensOf } from './reading/synonyms.ts';

const names = new Map(sampleProducts.map(({ mpn, name }) => [mpn, name]));
const offers = sampleShops.flatMap((shop) => shop.offers.map((offer) => ({ shop, offer })));

const pathOf = (shop: SampleShop, { mpn }: SampleOffer) => `/shops/${shop.slug}/${mpn.toLowerCase()}.html`;
const titleOf = ({ mpn }: SampleOffer) => `${names.get(mpn)} (${mpn})`;

/** Serve a page that a product of the sample catalog names as its source. */
export function sourcePage(response: ServerResponse, path: string): void {
  const page = samplePage(basename(path, '.html'));
  if (page === undefined) throw new RequestError(404, `There is no page ${path}`, 'not_found');
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}

/** Serve the page of a product in a sample shop. */
export function shopPage(response: ServerResponse, path: string): void {
  const found = offers.find(({ shop, offer }) => pathOf(shop, offer) === path);
  if (!found) throw new RequestError(404, `There is no page ${path}`, 'not_found');
  const { shop, offer } = found;
  const name = escapeHtml(shop.name);
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(titleOf(offer))} | ${name}</title><meta property="og:site_name" content="${name}"></head>
<body><main>
<h1>${escapeHtml(titleOf(offer))}</h1>
<p>Price: ${offer.price}</p>${offer.was ? `\n<p>Old price ${offer.was}</p>` : ''}
<p>${offer.stock}</p>
</main></body>
</html>
`);
}

/** A search engine for the pages of the sample shops, in the response format of SearXNG. It finds pages by part number. */
export function searchShops(response: ServerResponse, { origin, searchParams }: URL): void {
  const words = new Set(tokensOf(searchParams.get('q') ?? ''));
  const results = offers
    .filter(({ offer }) => tokensOf(offer.mpn).every((word) => words.has(word)))
    .map(({ shop, offer }) => ({
      url: `${origin}${pathOf(shop, offer)}`,
      title: titleOf(offer),
      content: `Sold by ${shop.name}.`,
    }));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
}
