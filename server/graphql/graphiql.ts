import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Page {
  html: string;
  gzipped: Buffer;
  policy: string;
}

const pages = new Map<string | undefined, Promise<Page>>();

/** Whether the request is a browser navigation that accepts HTML. */
export const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;

/** Send GraphiQL as one self-contained document that opens with the example operations. */
export async function sendGraphiql(request: FastifyRequest, reply: FastifyReply, examples?: string): Promise<FastifyReply> {
  const page = pages.get(examples) ?? renderPage(examples);
  pages.set(examples, page);
  const { html, gzipped, policy } = await page;
  reply.type('text/html; charset=utf-8').headers({ 'content-security-policy': policy, vary: 'accept, accept-encoding' });
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(html);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

/** Rendered on first use, because it takes nine megabytes and most processes never serve it. */
async function renderPage(examples: string | undefined): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title: 'GraphiQL',
    endpoint: '/graphql',
    headers: '{ "x-api-key": "" }',
    defaultEditorToolsVisibility: 'headers',
    subscriptionsProtocol: 'WS',
    ...(examples !== undefined && { defaultQuery: examples }),
    // Do not persist API keys in the browser.
    shouldPersistHeaders: false,
  });
  const script = html.slice(html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>'));
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline'",
    'worker-src blob:',
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy, gzipped: await promisify(gzip)(html) };
}
