import { describe, expect, test } from '@jest/globals';
import { endpoint, fronts } from './endpoint.ts';

describe.each(fronts)('%s', (_, front) => {
  const app = 'https://app.example.com';
  const other = 'https://other.example.com';
  const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type, x-api-key' };
  const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');

  test('only pages of configured origins may read a response', async () => {
    await using closed = await endpoint(front);
    const question = await fetch(`${closed.url}/graphql`, { method: 'OPTIONS', headers: { origin: app, ...asks } });
    expect([question.status, allowed(question)]).toEqual([405, null]);
    expect((await closed.ask('{ hello }', { origin: app })).headers.get('access-control-allow-origin')).toBeNull();

    await using graph = await endpoint({ ...front, corsOrigins: [app] });
    for (const [origin, answer] of [
      [app, app],
      [other, null],
    ] as const) {
      const preflight = await fetch(`${graph.url}/graphql`, { method: 'OPTIONS', headers: { origin, ...asks } });
      expect([preflight.status, allowed(preflight), preflight.headers.get('vary')]).toEqual([answer ? 204 : 405, answer, 'origin']);
      const { status, headers } = await graph.ask('{ hello }', { origin });
      expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([200, answer, 'origin']);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  test('a preflight request needs no key, does not count, and lists every accepted header', async () => {
    await using graph = await endpoint({ ...front, corsOrigins: [app] });
    const { headers } = await fetch(`${graph.url}/graphql`, { method: 'OPTIONS', headers: { origin: app, ...asks } });
    expect(headers.get('access-control-allow-headers')).toContain('content-type, x-api-key, authorization, x-organization');
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
    expect(headers.has('x-ratelimit-limit')).toBe(false);
  });

  test('a page can read errors and the retry headers', async () => {
    await using graph = await endpoint({ ...front, corsOrigins: [app] });
    const { status, headers } = await graph.ask('{ hello }', { origin: app, 'x-api-key': 'empty' });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([429, app]);
    expect(headers.get('access-control-expose-headers')).toContain('retry-after');
  });

  test('all origins may be allowed', async () => {
    await using graph = await endpoint({ ...front, corsOrigins: ['*'] });
    const { headers } = await graph.ask('{ hello }', { origin: other });
    expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual(['*', null]);
  });
});
