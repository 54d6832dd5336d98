import type { FastifyRequest } from 'fastify';
import { httpError } from '../../server/failure.ts';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Create a hook that rejects requests of web pages, except pages of these origins and of this machine. It protects servers on
 * loopback addresses from DNS rebinding.
 */
export function originCheck(origins: readonly string[], publicUrl: string | undefined) {
  const allowed = new Set([...origins, ...(publicUrl ? [new URL(publicUrl).origin] : [])]);
  return async ({ headers: { origin, host } }: FastifyRequest): Promise<void> => {
    if (origin === undefined || allowed.has('*') || allowed.has(origin)) return;
    if (isLoopback(origin) && isLoopback(`http://${host}`)) return;
    throw httpError(403, 'The origin of this page may not use MCP');
  };
}

const isLoopback = (url: string) => URL.canParse(url) && loopback.includes(new URL(url).hostname);
