import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Endpoint } from './endpoint.ts';
import { endpoint, fronts } from './endpoint.ts';
import { clientOf, key } from './websocket-client.ts';

describe.each(fronts)('%s', (_, front) => {
  let graph: Endpoint;
  beforeAll(async () => {
    graph = await endpoint({ ...front, limits: { cost: 1_000 } });
  });
  afterAll(() => graph.app.close());

  type Costed = { extensions?: { cost?: { requested: number; limit: number } } };
  const costOf = async (query: string, variables = {}) => {
    const { body } = await graph.ask(query, { 'x-graphql-cost': '1' }, { variables });
    return (body as Costed).extensions?.cost?.requested;
  };

  test.each<[string, number, object?]>([
    ['{ hello }', 1],
    ['{ me { id name } }', 3],
    ['{ a: hello b: hello }', 2],
    // A list multiplies the cost of its fields.
    ['{ friends(limit: 5) { id name } }', 11],
    ['{ friends { id } }', 4],
    ['{ friends(limit: 5) { friends(limit: 4) { id } } }', 26],
    ['{ me { tags } }', 2],
    // For a page, the size applies to its list.
    ['{ page(first: 7) { total nodes { id } } }', 10],
    ['{ page { total nodes { id } } }', 13],
    ['{ page(first: 7) { ...P } } fragment P on Page { nodes { ...M } } fragment M on Me { id name }', 16],
    ['{ page(first: 7) { ... { nodes { id friends { id } } } } }', 37],
    // Variables determine the cost; otherwise the default of the operation or field applies.
    ['query ($n: Int) { friends(limit: $n) { id } }', 9, { n: 8 }],
    ['query ($n: Int = 6) { friends(limit: $n) { id } }', 7],
    ['query ($n: Int) { friends(limit: $n) { id } }', 4],
    ['query ($n: Int) { friends(limit: $n) { friends(limit: $n) { id } } }', 111, { n: 10 }],
    ['{ friends(limit: 0) { id } }', 1],
    ['{ __schema { types { fields { name } } } }', 1],
    ['mutation { note(text: "a") }', 1],
  ])('%s costs %i', async (query, cost, variables = {}) => {
    expect(await costOf(query, variables)).toBe(cost);
  });

  test('the cost is reported only on request, by a header or in the request body', async () => {
    expect((await graph.ask('{ hello }')).body).toEqual({ data: { hello: 'hello world' } });
    const asked = await graph.ask('{ hello }', {}, { extensions: { cost: true } });
    expect(asked.body).toEqual({ data: { hello: 'hello world' }, extensions: { cost: { requested: 1, limit: 1_000 } } });
  });

  test('an operation above the cost limit is rejected before it runs, with literals and variables', async () => {
    const before = graph.seen.contexts.length;
    const written = '{ hello friends(limit: 10) { friends(limit: 10) { friends(limit: 10) { id } } } }';
    expect(await graph.ask(written)).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: 'INVALID_INPUT' } }] } });

    const query = 'query ($n: Int) { hello friends(limit: $n) { friends(limit: $n) { friends(limit: $n) { id } } } }';
    expect(await graph.ask(query, { 'x-graphql-cost': '1' }, { variables: { n: 10 } })).toMatchObject({
      status: 400,
      body: {
        errors: [{ message: 'The operation costs 1112, more than the maximum of 1000: request fewer fields or shorter lists' }],
        extensions: { cost: { requested: 1112, limit: 1_000 } },
      },
    });
    expect(await graph.ask(query, {}, { variables: { n: 5 } })).toMatchObject({ status: 200 });
    expect(graph.seen.contexts.length).toBe(before + 1);
  });

  test('invalid list sizes do not lower the cost', async () => {
    const query = 'query ($n: Int) { friends(limit: $n) { id } }';
    for (const n of [-5, 'x', null, {}]) {
      const { status, body } = await graph.ask(query, { 'x-graphql-cost': '1' }, { variables: { n } });
      expect((body as Costed).extensions!.cost!.requested).toBe(11);
      expect([200, 400]).toContain(status);
    }
  });

  test('the cost limit also applies over WebSocket', async () => {
    const client = clientOf(graph, key);
    try {
      const answers = client.iterate({ query: '{ hello }', extensions: { cost: true } });
      expect((await answers.next()).value).toEqual({
        data: { hello: 'hello world' },
        extensions: { cost: { requested: 1, limit: 1_000 } },
      });
      const dear = client.iterate({ query: '{ friends(limit: 2000) { id } }' });
      expect((await dear.next()).value).toMatchObject({ errors: [{ extensions: { code: 'INVALID_INPUT' } }] });
    } finally {
      await client.dispose();
    }
  });
});
