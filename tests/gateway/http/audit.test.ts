import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import type { Endpoint } from './endpoint.ts';
import { endpoint, fronts } from './endpoint.ts';

describe.each(fronts)('%s', (_, front) => {
  let graph: Endpoint;
  beforeAll(async () => {
    graph = await endpoint(front);
  });
  afterAll(() => graph.app.close());

  const audits = serverAudits({
    url: () => `${graph.url}/graphql`,
    fetchFn: (url: string, { headers, ...init }: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...headers, 'graphql-require-preflight': '1' } }),
  });

  test.each(audits)('$id: $name', async ({ fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' });
  });
});
