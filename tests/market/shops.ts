import { serve } from '../support/http-server.ts';

/** Shops with these pages by path; other paths are 404. */
export async function openShops(pages: Record<string, string>) {
  const { host } = await serve((request, response) => {
    const page = pages[request.url!];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page === undefined ? 'nothing here' : `<html><body><main>${page}</main></body></html>`);
  });
  return { host, link: (path: string) => `http://${host}${path}` };
}

export interface Hit {
  url: string;
  title?: string;
  content?: string;
}

/** A search endpoint in SearXNG's JSON format; the product in the query selects the hits. */
export async function openSearch(find: (terms: string) => Hit[] | number) {
  const asked: string[] = [];
  const { host } = await serve((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://search');
    const terms = searchParams.get('q') ?? '';
    asked.push(terms);
    const found = searchParams.get('format') === 'json' ? find(terms) : 406;
    if (typeof found === 'number') return void response.writeHead(found).end();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ query: terms, results: found }));
  });
  return { url: `http://${host}/search`, host, asked };
}
