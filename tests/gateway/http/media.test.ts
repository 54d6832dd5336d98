import { describe, expect, test } from '@jest/globals';
import { mediaFor } from 'compiled-gateway/graphql-over-http';
import { endpoint, fronts } from './endpoint.ts';

describe.each(fronts)('%s', (_, front) => {
  const graphql = 'application/graphql-response+json';
  const json = 'application/json';

  test.each<[string | undefined, string | undefined]>([
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['application/*', json],
    [json, json],
    [graphql, graphql],
    [`${graphql}, ${json}`, graphql],
    [`${json}, ${graphql}`, graphql],
    [`${json}, ${graphql};q=0.9`, json],
    [`${graphql};q=0.5, ${json};q=0.9`, json],
    [`${graphql}, */*`, graphql],
    [`${json}, */*`, json],
    [`${json};q=0.1, */*`, graphql],
    [`*/*;q=0.8, ${json};q=0`, graphql],
    [`${graphql};q=0, application/*`, json],
    ['multipart/mixed;deferSpec=20220824, application/json', json],
    ['APPLICATION/JSON; Charset=UTF-8', json],
    [`${json};charset=iso-8859-1, ${graphql}`, graphql],
    [`${json}; charset=utf-16`, undefined],
    ['image/png', undefined],
    ['text/event-stream', undefined],
    ['*/*;q=0', undefined],
    [`${json};q=0, ${graphql};q=0, */*`, undefined],
    [`${json};q=banana`, undefined],
  ])('Accept: %p is answered by %p', (accept, media) => {
    expect(mediaFor(accept)).toBe(media);
  });

  test('a refusal has its own status with the GraphQL media type, and 200 with plain JSON', async () => {
    await using graph = await endpoint(front);
    for (const query of ['{', '{ nothing }', 'query ($ms: Int!) { slow(ms: $ms) }', 'subscription { ticks }']) {
      const [told, plain] = [await graph.ask(query), await graph.ask(query, { accept: json })];
      expect([told.status, told.headers.get('content-type')]).toEqual([400, `${graphql}; charset=utf-8`]);
      expect([plain.status, plain.headers.get('content-type')]).toEqual([200, `${json}; charset=utf-8`]);
      expect(plain.body).toEqual(told.body);
      expect(plain.body).not.toHaveProperty('data');
    }
  });

  test('a rejection by admission has its status in both media types', async () => {
    await using graph = await endpoint(front);
    for (const accept of [graphql, json]) {
      expect(await graph.ask('{ hello }', { accept, 'x-api-key': 'nobody' })).toMatchObject({ status: 403 });
      expect(await graph.ask('{ hello }', { accept, 'x-api-key': 'empty' })).toMatchObject({ status: 429 });
    }
  });

  test('partial data and null data have the status 200 and their errors', async () => {
    await using graph = await endpoint(front);
    expect(await graph.ask('{ refused }')).toMatchObject({ status: 200, body: { data: { refused: null } } });
    expect(await graph.ask('{ failing }')).toMatchObject({ status: 200, body: { data: null, errors: [{ path: ['failing'] }] } });
  });
});
