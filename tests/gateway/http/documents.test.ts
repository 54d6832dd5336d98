import { expect, test } from '@jest/globals';
import { createCheck, defaultLimits as limits } from 'compiled-gateway/graphql-over-http';
import { buildSchema } from 'graphql';
import { createDocuments } from '../../../server/graphql/documents.ts';

const schema = buildSchema('type Query { hello(name: String): String }');
const check = createCheck(schema, { introspection: true, hideSuggestions: false, limits });
const documents = () => {
  const read = createDocuments({ schema, check, limits });
  return (query: string, operationName?: string) => read({ query, operationName });
};

test('a valid document is parsed once, an invalid one each time', () => {
  const read = documents();
  expect(read('{ hello }')).toBe(read('{ hello }'));
  expect(read('{ nothing }')).not.toBe(read('{ nothing }'));
});

test('each operation of a text has a separate document', () => {
  const read = documents();
  const text = 'query A { hello } query B { hello }';
  expect(read(text, 'A')).toBe(read(text, 'A'));
  expect(read(text, 'A')).not.toBe(read(text, 'B'));
});

test('an operation name with a part of the text does not select the document of another text', () => {
  const read = documents();
  const other = read('query B { hello }', 'A\nquery A { hello }');
  const document = read('query A { hello }\nquery B { hello }', 'A');
  expect(document).not.toBe(other);
  expect(document.definitions).toHaveLength(2);
});

test('a flood of unique documents does not evict a used one', () => {
  const read = documents();
  const used = read('{ hello }');
  expect(read('{ hello }')).toBe(used);
  const first = read('{ a0: hello }');
  for (let other = 1; other < 2_000; other++) read(`{ a${other}: hello }`);
  expect(read('{ hello }')).toBe(used);
  expect(read('{ a0: hello }')).not.toBe(first);
});

test('a document with a large literal or operation name is not cached', () => {
  const read = documents();
  const long = `{ hello(name: "${'a'.repeat(50_000)}") }`;
  expect(read(long)).not.toBe(read(long));
  const name = 'a'.repeat(50_000);
  expect(read('{ hello }', name)).not.toBe(read('{ hello }', name));
});

test('a text above the length limit is not parsed', () => {
  expect(() => documents()(`{ hello } #${'a'.repeat(100_000)}`)).toThrow('A document may have at most 100000 characters');
});
