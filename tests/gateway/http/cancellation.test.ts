import { expect, jest, test } from '@jest/globals';
import { graphqlEndpoint } from '../../../server/graphql/graphql-endpoint.ts';
import { createLogger } from '../../../server/logging.ts';
import { createServer } from '../../../server/server.ts';
import { openSleeper } from '../support/sleeper.ts';

async function open(where: 'in process' | 'over HTTP', timeout: number) {
  const sleeper = await openSleeper(where);
  const app = createServer({ logger: createLogger('silent') });
  app.register(graphqlEndpoint, { gateway: sleeper.gateway, timeout });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...sleeper,
    ask: (query: string, signal?: AbortSignal) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', 'x-api-key': sleeper.key },
        body: JSON.stringify({ query }),
        signal,
      }),
    async close() {
      await app.close();
      await sleeper.close();
    },
  };
}

/** The query layer of the mapper logs unhandled errors here. */
const complaints = jest.spyOn(console, 'error');
afterEach(() => expect(complaints).not.toHaveBeenCalled());

describe.each(['in process', 'over HTTP'] as const)('a subgraph %s', (where) => {
  test.each(['{ readsRows }', '{ asksMapper }', 'mutation { changes }'])(
    '%s ends in the database when its caller goes away',
    async (query) => {
      const graph = await open(where, 60_000);
      try {
        const gone = new AbortController();
        const asked = graph.ask(query, gone.signal);
        await graph.asleep();
        gone.abort();
        await expect(asked).rejects.toThrow();
        await graph.over();
        expect(await graph.credits()).toBe(7);
        expect(graph.faults).toEqual([]);
      } finally {
        await graph.close();
      }
    },
  );

  test('twenty requests that time out are canceled in the database, and the pool stays intact', async () => {
    const graph = await open(where, 1_500);
    try {
      const answers = await Promise.all(Array.from({ length: 24 }, () => graph.ask('{ readsRows asksMapper }')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(await answers[0]!.json()).toEqual({
        errors: [{ message: 'The operation took longer than 1.5 seconds', extensions: { code: 'UNAVAILABLE' } }],
      });
      await graph.over();
    } finally {
      await graph.close();
    }
  });
});
