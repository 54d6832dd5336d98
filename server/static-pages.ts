import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface PageFiles {
  /** Folder of the built dashboard. */
  dashboard: string;
  /** The built script of the widget. */
  widget: string;
}

/** Sends the page of the dashboard. */
export type SendPage = (reply: FastifyReply) => FastifyReply;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // The component library sets style attributes and inserts style elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "media-src 'self' blob:",
  "worker-src 'self' blob:",
  "frame-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The names of these files contain a hash of their content. */
const HASHED = 'assets';
const page = { 'content-security-policy': policy, 'cache-control': 'no-cache', vary: 'accept, accept-encoding' };
const hashed = { 'cache-control': 'public, max-age=31536000, immutable' };
const unhashed = { 'cache-control': 'no-cache' };
/** The script that a website embeds, and the panel that it loads when a visitor opens it. */
const WIDGET_SCRIPTS = ['widget.js', 'widget-panel.js'];
/** Any website may load the widget. Five minutes bound the delay of a new version. */
const widgetScript = {
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};

/**
 * Serve the dashboard and the script of the widget from the root of a server, as far as they are built. Browser navigations to paths
 * without another route get the page of the dashboard. Returns undefined when the dashboard is not built.
 * @param siteHost matches the host of the site-content surface, which has no dashboard
 */
export async function servePages(
  app: FastifyInstance,
  { dashboard, widget }: PageFiles,
  siteHost?: RegExp,
): Promise<SendPage | undefined> {
  await app.register(fastifyStatic, {
    root: dashboard,
    serve: false,
    suppressWarning: true,
    cacheControl: false,
    dotfiles: 'ignore',
    preCompressed: true,
  });
  for (const name of WIDGET_SCRIPTS) {
    if (!existsSync(join(dirname(widget), name))) continue;
    app.get(`/${name}`, (_, reply) => reply.headers(widgetScript).sendFile(name, dirname(widget)));
  }
  if (!existsSync(join(dashboard, 'index.html'))) return undefined;

  const sendPage: SendPage = (reply) => reply.headers(page).sendFile('index.html');
  for (const entry of readdirSync(dashboard, { withFileTypes: true })) {
    const { name } = entry;
    if (/^\.|^index\.html|\.(?:br|gz)$/.test(name)) continue;
    const headers = name === HASHED ? hashed : unhashed;
    if (entry.isDirectory()) {
      app.get<{ Params: { '*': string } }>(`/${name}/*`, ({ params }, reply) => sendWithin(name, params['*'], reply, headers));
    } else app.get(`/${name}`, (_, reply) => reply.headers(headers).sendFile(name));
  }
  app.get('/*', (request, reply) =>
    acceptsHtml(request) && !siteHost?.test(request.headers.host ?? '') ? sendPage(reply) : notFound(reply),
  );
  return sendPage;

  /** Paths outside of the folder get the same answer as missing files, so that nobody learns which files exist. */
  function sendWithin(folder: string, path: string, reply: FastifyReply, headers: Record<string, string>) {
    const root = resolve(dashboard, folder);
    const file = resolve(root, path);
    if (!file.startsWith(root + sep) || !existsSync(file)) return notFound(reply);
    return reply.headers(headers).sendFile(relative(dashboard, file));
  }
}

/** Whether the request is a browser navigation. */
export const acceptsHtml = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers.accept?.includes('text/html') === true;

const notFound = (reply: FastifyReply): FastifyReply => {
  reply.callNotFound();
  return reply;
};
