import type { InjectOptions } from 'fastify';
import { face } from './engine-face.ts';

export const main = await face();
export const site = await face({ listener: 'site' });
afterAll(() => Promise.all([main.close(), site.close()]));

export async function ask(server: typeof main, request: InjectOptions) {
  const { statusCode: status, body, headers } = await server.inject(request);
  return { status, headers, text: body, body: body && headers['content-type']?.includes('json') ? JSON.parse(body) : body };
}
export const post = (url: string, body?: InjectOptions['payload'], headers = {}) =>
  ask(main, {
    method: 'POST',
    url,
    ...(body !== undefined && { payload: body }),
    headers: { 'content-type': 'application/json', ...headers },
  });
export const get = (url: string, headers = {}) => ask(main, { method: 'GET', url, headers });
