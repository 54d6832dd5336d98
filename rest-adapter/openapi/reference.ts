import scalar from '@scalar/fastify-api-reference';
import type { FastifyPluginAsync } from 'fastify';
import { acceptsHtml, type SendPage } from '../../server/static-pages.ts';
import type { Surface } from '../surfaces.ts';
import { introductions } from '../surfaces.ts';
import type { OpenApiDocument } from './document.ts';

interface ReferenceOptions {
  /** Creates the document. Called at the first request, because it takes a tenth of a second. */
  document: () => OpenApiDocument;
  listener: Surface['listener'];
  publicUrl?: string;
  /** Sends the page for browsers at `/`. Default: a redirect to the reference. */
  sendHome?: SendPage;
}

/**
 * A plugin that serves `/openapi.json` and, at `/docs`, an interactive reference without external resources. `/` leads browsers to the
 * dashboard or else to the reference, and lists the addresses for other clients.
 */
export function reference({
  document,
  listener,
  publicUrl,
  sendHome = (reply) => reply.redirect('/docs'),
}: ReferenceOptions): FastifyPluginAsync {
  let text: string | undefined;
  const read = (): string => {
    text ??= JSON.stringify(document());
    return text;
  };
  const policy = [
    "default-src 'none'",
    // The page contains an inline script.
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    `connect-src 'self' ${publicUrl ? new URL(publicUrl).origin : ''}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

  return async (fastify) => {
    const places = {
      reference: '/docs',
      openapi: '/openapi.json',
      ...(listener === 'main' && { graphql: '/graphql' }),
      health: '/healthz',
      readiness: '/readyz',
    };
    fastify.get('/', async (request, reply) => {
      reply.header('vary', 'accept');
      return acceptsHtml(request) ? sendHome(reply) : places;
    });
    fastify.get('/openapi.json', async (_, reply) =>
      reply
        .headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
        .type('application/json; charset=utf-8')
        .send(read()),
    );
    await fastify.register(async (page) => {
      page.addHook('onSend', async (_, reply) => void reply.header('content-security-policy', policy));
      await page.register(scalar, {
        routePrefix: '/docs',
        configuration: {
          url: '/openapi.json',
          pageTitle: introductions[listener].title,
          withDefaultFonts: false,
          favicon: 'data:,',
          orderSchemaPropertiesBy: 'preserve',
          telemetry: false,
          // The surface of site content accepts bearer tokens only.
          authentication: { preferredSecurityScheme: listener === 'main' ? 'apiKey' : 'bearer' },
          hideClientButton: true,
          showDeveloperTools: 'never',
          mcp: { disabled: true },
          agent: { disabled: true },
        },
      });
    });
  };
}
