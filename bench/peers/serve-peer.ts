import type { FastifyInstance } from 'fastify';

/** Serve a peer on a free port until it is closed. Also closes its database pool. */
export async function servePeer(app: FastifyInstance, holds?: { end(): Promise<void> }) {
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    addresses: { url },
    async close() {
      await app.close();
      await holds?.end();
    },
  };
}
