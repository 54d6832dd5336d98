import { buildSchema } from 'graphql';
import { createCheck } from '../../server/graphql/check.ts';
import { createDocuments } from '../../server/graphql/documents.ts';
import { defaultLimits as limits } from '../../server/graphql/limits.ts';

const schema = buildSchema('type Query { hello(name: String): String }');
const check = createCheck(schema, { introspection: true, hideSuggestions: false, limits });
const documents = () => {
  const read = createDocuments({ check, limits });
  return (query: string) => read({ query });
};

test('a valid document is read once, an invalid one each time', () => {
  const read = documents();
  expect(read('{ hello }')).toBe(read('{ hello }'));
  expect(read('{ nothing }')).not.toBe(read('{ nothing }'));
});

test('the thousand that were asked for last are kept', () => {
  const read = documents();
  const [first, second] = [read('{ first: hello }'), read('{ second: hello }')];
  for (let other = 0; other < 998; other++) read(`{ a${other}: hello }`);
  expect(read('{ first: hello }')).toBe(first);
  read('{ another: hello }');
  expect(read('{ first: hello }')).toBe(first);
  expect(read('{ second: hello }')).not.toBe(second);
});

test('long documents are kept only up to their length together', () => {
  const read = documents();
  const long = (name: string) => `{ ${name}: hello(name: "${'a'.repeat(900_000)}") }`;
  const first = read(long('a'));
  for (const name of ['b', 'c', 'd']) read(long(name));
  expect(read(long('a'))).toBe(first);
  const second = read(long('b'));
  for (const name of ['e', 'f', 'g']) read(long(name));
  expect(read(long('b'))).toBe(second);
  expect(read(long('a'))).not.toBe(first);
});

test('a text that is longer than a document may be is not read', () => {
  expect(() => documents()(`{ hello } #${'a'.repeat(1_000_000)}`)).toThrow('A document may have at most 1000000 characters');
});
