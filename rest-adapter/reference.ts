import scalar from '@scalar/fastify-api-reference';
import type { FastifyPluginAsync } from 'fastify';
import type { OpenApiDocument } from './openapi.ts';

/** `/openapi.json`, and `/docs` to read and try it. Nothing is loaded from anywhere else. */
export function reference(document: OpenApiDocument, publicUrl?: string): FastifyPluginAsync {
  const text = JSON.stringify(document);
  const policy = [
    "default-src 'none'",
    // The page starts itself by a script within it.
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
    fastify.get('/openapi.json', async (_, reply) =>
      reply
        .headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
        .type('application/json; charset=utf-8')
        .send(text),
    );
    await fastify.register(async (page) => {
      page.addHook('onSend', async (_, reply) => void reply.header('content-security-policy', policy));
      await page.register(scalar, {
        routePrefix: '/docs',
        configuration: {
          url: '/openapi.json',
          pageTitle: document.info.title,
          withDefaultFonts: false,
          favicon: 'data:,',
          orderSchemaPropertiesBy: 'preserve',
          telemetry: false,
          hideClientButton: true,
          showDeveloperTools: 'never',
          mcp: { disabled: true },
          agent: { disabled: true },
        },
      });
    });
  };
}
