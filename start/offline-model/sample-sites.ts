import type { ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { productPages, type SampleOffer, type ShopPage, sampleProducts, sampleShops } from '../sample/sample-catalog.ts';
import { RequestError } from './openai-protocol.ts';
import { escapeHtml } from './reading/prose.ts';
import { tokensOf } from './reading/synonyms.ts';

const names = new Map(sampleProducts.map(({ mpn, name }) => [mpn, name]));
const offers = sampleShops.flatMap((shop) => shop.offers.map((offer) => ({ shop, offer })));

const pathOf = (shop: (typeof sampleShops)[number], { mpn }: SampleOffer) => `/shops/${shop.slug}/${mpn.toLowerCase()}.html`;
const titleOf = ({ mpn }: SampleOffer) => `${names.get(mpn)} (${mpn})`;

/** Serve a page that a product of the sample catalog names as its source. */
export function sourcePage(response: ServerResponse, path: string): void {
  const name = basename(path, '.html');
  const product = productPages.get(name);
  const page = product ? productPage(product) : service;
  if (!product && name !== 'service') throw new RequestError(404, `There is no page ${path}`, 'not_found');
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}

/** As pages of shops are, with navigation, other products and a footer around the content. */
function productPage({ name, section, prose, specifications }: ShopPage): string {
  const paragraphs = prose.map((text) => `      <p>${escapeHtml(text)}</p>`);
  const rows = Object.entries(specifications).map(
    ([label, value]) => `        <tr><th scope="row">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>${escapeHtml(name)} | Example Trade Supplies</title>
</head>
<body>
  <header>
    <nav aria-label="Main">
      <a href="/">Home</a> <a href="/new">New in</a> <a href="/offers">Offers</a> <a href="/account">Sign in</a> <a href="/basket">Basket (0)</a>
    </nav>
    <p class="crumbs">Home &gt; ${escapeHtml(section)}</p>
  </header>
  <main>
    <article>
      <h1>${escapeHtml(name)}</h1>
${paragraphs.join('\n')}
      <h2>Specifications</h2>
      <table>
${rows.join('\n')}
      </table>
    </article>
    <aside>
      <h2>Customers also bought</h2>
      <ul>
        <li><a href="/p/1041">Cleaning cloth, pack of 10</a></li>
        <li><a href="/p/2207">Universal storage box 30 l</a></li>
      </ul>
    </aside>
  </main>
  <footer>
    <p>Free delivery from 50 euros. Orders over 40 kg are shipped by freight.</p>
    <p>© Example Trade Supplies. All rights reserved. This site uses cookies.</p>
  </footer>
</body>
</html>
`;
}

const service = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Delivery, returns and repairs | Example Trade Supplies</title>
</head>
<body>
  <header>
    <nav aria-label="Main"><a href="/">Home</a> <a href="/new">New in</a> <a href="/basket">Basket (0)</a></nav>
  </header>
  <main>
    <article>
      <h1>Delivery, returns and repairs</h1>
      <h2>Delivery</h2>
      <p>Parcels leave our warehouse in Utrecht on the day of the order if it arrives before 15:00. Delivery takes two working days and costs 6 euros. From 50 euros the delivery is free.</p>
      <h2>Returns</h2>
      <p>You can return unused goods within 30 days. We pay the return label and refund the money within five working days. Batteries must be returned in their original box.</p>
      <h2>Repairs</h2>
      <p>Our workshop repairs tools of every maker that we sell. A repair takes about ten working days, and we tell you the price before we begin.</p>
      <h2>Opening hours</h2>
      <p>The counter in Utrecht is open from Monday to Friday, 7:00 to 17:30, and on Saturday from 9:00 to 13:00.</p>
    </article>
  </main>
  <footer><p>© Example Trade Supplies. All rights reserved.</p></footer>
</body>
</html>
`;

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
