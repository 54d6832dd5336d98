import { describe, expect, test } from '@jest/globals';
import { rootedGateway } from '../support/rooted.ts';
import { endpoint, fronts } from './endpoint.ts';
import { clientOf } from './websocket-client.ts';

describe.each(fronts)('%s', (_, front) => {
  const queriesOnly = () =>
    endpoint({ ...front, gateway: rootedGateway('type Query { hello: String }', { hello: 'world' }), admit: undefined });

  const operations = [
    ['mutation', 'mutation { note(text: "a") }'],
    ['subscription', 'subscription { ticks }'],
  ] as const;

  test.each(operations)('a %s over HTTP is invalid if the schema has no such root type', async (kind, query) => {
    await using graph = await queriesOnly();
    expect(await graph.ask(query)).toMatchObject({
      status: 400,
      body: { errors: [{ message: `The schema has no ${kind}s`, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    });
  });

  test.each(operations)('a %s over WebSocket is invalid if the schema has no such root type', async (kind, query) => {
    await using graph = await queriesOnly();
    const client = clientOf(graph);
    const results = async () => {
      for await (const _ of client.iterate({ query })) throw new Error('The operation ran');
    };
    await expect(results()).rejects.toMatchObject([
      { message: `The schema has no ${kind}s`, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ]);
    await client.dispose();
  });
});
