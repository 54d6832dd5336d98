import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Visit {
  path: string;
  at: number;
  headers: IncomingMessage['headers'];
}

export type Handler = (response: ServerResponse, request: IncomingMessage) => unknown;
/** A page by its path: HTML, or a handler. */
export type Pages = Record<string, string | Buffer | Handler>;

/** A website on a port of its own, which records its visits. Pages may change while it runs. */
export async function startSite(pages: Pages) {
  const visits: Visit[] = [];
  let open = 0;
  let mostOpen = 0;
  const server = createServer(async (request, response) => {
    const path = request.url!;
    visits.push({ path, at: performance.now(), headers: request.headers });
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.once('close', () => (open -= 1));
    const page = pages[path];
    if (page === undefined) return void response.writeHead(404).end('Not found');
    if (typeof page === 'function') return void (await page(response, request));
    const type = path.endsWith('.xml') ? 'application/xml' : path.endsWith('.txt') ? 'text/plain' : 'text/html; charset=utf-8';
    response.writeHead(200, { 'content-type': type }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    pages,
    visits,
    /** Paths of the visited pages, without robots.txt and sitemaps. */
    read: () => visits.map(({ path }) => path).filter((path) => !/robots|sitemap/.test(path)),
    mostOpen: () => mostOpen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const html = (title: string, body: string) =>
  `<html><head><title>${title}</title></head><body><nav>Home Menu Cart</nav><main>${body}</main><footer>Imprint</footer></body></html>`;

export const sitemap = (...urls: string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;

export const sitemapIndex = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
