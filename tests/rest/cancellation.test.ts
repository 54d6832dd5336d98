import { restAdapter } from '../../rest-adapter/adapter.ts';
import { table } from '../../rest-adapter/route.ts';
import { catalog } from '../../rest-adapter/surfaces.ts';
import { createLogger } from '../../server/logging.ts';
import { createServer } from '../../server/server.ts';
import { openSleeper } from '../gateway/support/sleeper.ts';
import { admitted } from './engine-face.ts';

const tables = [
  table(catalog, {
    'POST /rows': { summary: 'Rows', graphql: '{ readsRows }', example: {} },
    'POST /mapper': { summary: 'The mapper', graphql: '{ asksMapper }', example: {} },
    'POST /changes': { summary: 'Changes', graphql: 'mutation { changes }', example: {} },
  }),
];

async function open(where: 'in process' | 'over HTTP', timeout: number) {
  const sleeper = await openSleeper(where);
  const { schema, prepare } = sleeper.gateway;
  const app = createServer({ logger: createLogger('silent') });
  app.register(restAdapter({ tables, schema, prepare, admit: async () => admitted, listener: 'main', version: '1', timeout }));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...sleeper,
    ask: (path: string, signal?: AbortSignal) =>
      fetch(`${url}/api/${sleeper.slug}${path}`, { method: 'POST', headers: { 'x-api-key': sleeper.key }, signal }),
    async close() {
      await app.close();
      await sleeper.close();
    },
  };
}

describe.each(['in process', 'over HTTP'] as const)('a REST call, its subgraph %s,', (where) => {
  // Each has its own gateway and database, and waits for a timeout.
  test.concurrent.each(['/rows', '/mapper', '/changes'])(
    '%s ends in the database when its time is over, and changes nothing',
    async (path) => {
      const graph = await open(where, 3_000);
      try {
        const [answer] = await Promise.all([graph.ask(path), graph.asleep()]);
        expect([answer.status, await answer.json()]).toEqual([503, { success: false, message: 'Service Unavailable' }]);
        await graph.over();
        expect(await graph.credits()).toBe(7);
        expect(graph.faults).toEqual([]);
      } finally {
        await graph.close();
      }
    },
  );

  test.concurrent('ends in the database when its caller goes away', async () => {
    const graph = await open(where, 60_000);
    try {
      const gone = new AbortController();
      const asked = graph.ask('/changes', gone.signal);
      await graph.asleep();
      gone.abort();
      await expect(asked).rejects.toThrow();
      await graph.over();
      expect(await graph.credits()).toBe(7);
    } finally {
      await graph.close();
    }
  });
});
