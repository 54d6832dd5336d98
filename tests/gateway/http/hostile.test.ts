import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpuTimeOf } from '../../support/cpu-time.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoint, fronts } from './endpoint.ts';

describe.each(fronts)('%s', (_, front) => {
  let graph: Endpoint;
  beforeAll(async () => {
    graph = await endpoint({ ...front, limits: { tokens: 100_000, characters: 1_000_000 } });
  });
  afterAll(() => graph.app.close());

  const times = (count: number, each: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => each(index)).join(' ');
  const nested = (depth: number) => `{ me ${'{ friend '.repeat(depth)}{ id }${' }'.repeat(depth)} }`;
  const bomb = (size: number) =>
    `{ me { ...F0 } } ${times(size, (n) => `fragment F${n} on Me { friend { name } ...F${n + 1} ...F${n + 1} }`)} fragment F${size} on Me { id }`;

  test.each([
    ['10,000 aliases', `{ ${times(10_000, (n) => `a${n}: hello`)} }`],
    [
      '100 aliases of several fields',
      `{ me { ${times(25, (n) => `a${n}: id b${n}: name`)} friend { ${times(26, (n) => `a${n}: id b${n}: name`)} } } }`,
    ],
    ['31 aliases of one field', `{ me { ${times(31, (n) => `a${n}: id`)} } }`],
    ['one field 5,000 times', `{ me { ${times(5_000, () => 'id')} } }`],
    ['__typename overloaded', `{ me { ${times(101, () => '__typename')} } }`],
    ['31 fields at the root', `{ ${times(16, () => 'hello')} ${times(15, () => '__typename')} }`],
    ['directives overloaded', `{ hello ${times(51, () => '@include(if: true)')} }`],
    ['unknown directives overloaded', `{ __typename ${times(1_000, () => '@aa')} }`],
    ['16 levels', nested(14)],
    ['a fragment bomb', bomb(40)],
    ['a fragment bomb beyond numbers', bomb(2_000)],
    ['fragments in a circle', '{ me { ...A } } fragment A on Me { ...B } fragment B on Me { ...A }'],
    ['1,000 nested inline fragments', `{ ${'... {'.repeat(1_000)} hello ${'}'.repeat(1_000)} }`],
    ['a circular introspection', '{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }'],
    ['the schema twice', '{ a: __schema { types { name } } b: __schema { types { name } } }'],
    ['@stream', '{ friends @stream { id } }'],
  ])('%s is rejected with 400 immediately', async (_, query) => {
    const rejected = async () => {
      const { status, body } = await graph.ask(query);
      expect(status).toBe(400);
      expect(body.data).toBeUndefined();
      expect(body.errors![0]!.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    };
    expect(await cpuTimeOf(rejected)).toBeLessThan(5_000_000);
  });

  test('operations within the limits pass', async () => {
    for (const query of [nested(13), bomb(4), `{ ${times(30, (n) => `a${n}: hello`)} }`]) {
      expect(await graph.ask(query)).toMatchObject({ status: 200 });
    }
  });

  test.each([
    ['5 MB of text', 'a'.repeat(5_000_000)],
    ['too many tokens', `{ ${times(100_001, () => 'id')} }`],
    // The parser overflows its stack, at a depth that depends on how far the code is optimized.
    ['2,000 nested inline fragments', `{ ${'... {'.repeat(2_000)} hello ${'}'.repeat(2_000)} }`],
    ['10,000 levels', nested(10_000)],
    ['NUL', '{ hello\u0000 }'],
    ['NUL in a string', '{ hello(name: "\u0000") }'],
    ['nothing but a brace', '{'],
    ['lists nested 20,000 deep', `{ hello(name: ${'['.repeat(20_000)}${']'.repeat(20_000)}) }`],
  ])('%s is not a document: 400', async (_, query) => {
    const { status, body } = await graph.ask(query, { 'x-api-key': 'good' });
    expect(status).toBe(400);
    expect(body.errors![0]!.extensions.code).toMatch(/GRAPHQL_PARSE_FAILED|GRAPHQL_VALIDATION_FAILED|INVALID_INPUT/);
  });

  const json = { 'content-type': 'application/json' };
  test.each<[string, number, Record<string, string>, string]>([
    ['11 MiB', 413, json, JSON.stringify({ query: 'a'.repeat(11 * 1024 * 1024) })],
    ['a batch', 400, json, '[{"query": "{ hello }"}]'],
    ['JSON in another charset', 415, { 'content-type': 'application/json; charset=utf-16' }, '{"query": "{ hello }"}'],
    ['packed JSON', 415, { ...json, 'content-encoding': 'gzip' }, '{"query": "{ hello }"}'],
    ['JSON in an unknown encoding', 415, { ...json, 'content-encoding': 'x-unknown' }, '{"query": "{ hello }"}'],
    ['broken JSON', 400, json, '{"query": '],
    ['no body', 400, json, ''],
    ['an empty object', 400, json, '{}'],
    ['a query that is no text', 400, json, '{"query": {"kind": "Document"}}'],
    ['variables that are text', 400, json, '{"query": "{ hello }", "variables": "{}"}'],
    ['a poisoned prototype', 400, json, '{"query": "{ hello }", "__proto__": {"x": 1}}'],
    ['a key twice', 400, json, '{"query": "", "query": "{ hello }"}'],
    ['a variable twice', 400, json, '{"query": "{ hello }", "variables": {"a": [{"b": 1, "\\u0062": 2}]}}'],
    ['lists 100,000 deep', 400, json, `{"query": "{ hello }", "variables": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['text', 415, { 'content-type': 'text/plain' }, '{"query": "{ hello }"}'],
    ['XML', 415, { 'content-type': 'application/xml' }, '<query/>'],
    ['an answer that cannot be given', 406, { ...json, accept: 'image/png' }, '{"query": "{ hello }"}'],
  ])('%s is rejected with %i, in the shape of GraphQL', async (_, status, headers, body) => {
    const response = await fetch(`${graph.url}/graphql`, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] };
    expect(errors[0]).toMatchObject({ message: expect.any(String), extensions: { code: expect.any(String) } });
    expect(JSON.stringify(errors)).not.toMatch(/stack|node_modules/);
  });

  test.each([
    '{"query": "{ hello }", "extensions": {"__proto__": {"x": 1}}}',
    '{"query": "{ hello }", "extensions": {"a": {"constructor": {"prototype": {}}}}}',
  ])('a key that could change a prototype is named: %s', async (body) => {
    const response = await fetch(`${graph.url}/graphql`, { method: 'POST', headers: json, body });
    const { errors } = (await response.json()) as { errors: { message: string }[] };
    expect([response.status, errors[0]!.message]).toEqual([400, expect.stringContaining('the key __proto__')]);
  });

  test('an unknown operation name and a wrong variable are rejected with 400', async () => {
    expect(await graph.ask('query A { hello }', {}, { operationName: 'B' })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }] },
    });
    expect(await graph.ask('query ($ms: Int!) { slow(ms: $ms) }', {}, { variables: { ms: 'x' } })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'INVALID_INPUT' } }] },
    });
  });
});
