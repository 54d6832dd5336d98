import { expect, test } from '@jest/globals';
import { buildSchema, OverlappingFieldsCanBeMergedRule, parse, validate } from 'graphql';
import { mergeConflict } from '../../../gateway/documents/field-merging.ts';

const schema = buildSchema(`
  interface Animal { name: String!  friend: Animal  sound(loud: Boolean, mix: Mix): String }
  input Mix { a: Int  b: Int }
  type Dog implements Animal { name: String!  friend: Dog  sound(loud: Boolean, mix: Mix): String  size: Int  tags: [String]  rival: Cat }
  type Cat implements Animal { name: String!  friend: Cat  sound(loud: Boolean, mix: Mix): String  size: String  tags: String  rival: Dog }
  union Pet = Dog | Cat
  type Query { animal: Animal  dog: Dog  cat: Cat  pets: [Pet!]! }
`);

/** Milliseconds of processor time, because other work on the machine must not fail a test. */
const timeOf = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};
const messageOf = (text: string) => mergeConflict(schema, parse(text))?.message;
const expectedOf = (text: string) => validate(schema, parse(text), [OverlappingFieldsCanBeMergedRule])[0]?.message;

test.each([
  '{ dog { name name } }',
  '{ dog { x: name x: name } }',
  '{ dog { x: name x: size } }',
  '{ dog { sound(loud: true) sound(loud: true) } }',
  '{ dog { sound(loud: true) sound(loud: false) } }',
  '{ dog { sound(loud: true) sound } }',
  '{ dog { sound(mix: {a: 1, b: 2}) sound(mix: {b: 2, a: 1}) } }',
  '{ dog { sound(mix: {a: 1}) sound(mix: {a: 2}) } }',
  '{ dog { friend { x: name } } dog { friend { x: size } } }',
  '{ dog { friend { x: name } friend { x: name } } }',
  '{ animal { ... on Dog { x: name } ... on Cat { x: sound } } }',
  '{ animal { ... on Dog { x: size } ... on Cat { x: size } } }',
  '{ animal { ... on Dog { x: tags } ... on Cat { x: tags } } }',
  '{ animal { x: name ... on Dog { x: sound } } }',
  '{ animal { friend { x: name } ... on Dog { friend { x: sound } } } }',
  '{ animal { ... on Cat { friend { x: name } } ... on Dog { friend { x: sound } } } }',
  '{ animal { ... on Cat { friend { x: name } } ... on Dog { friend { x: size } } } }',
  '{ animal { ... on Cat { rival { x: size } } ... on Dog { rival { x: size } } } }',
  '{ pets { ... on Dog { __typename x: __typename } ... on Cat { x: name } } }',
  '{ dog { ...A ...B } } fragment A on Dog { x: name } fragment B on Dog { x: size }',
  '{ dog { ...A } cat { ...A } } fragment A on Animal { friend { name } }',
  '{ a: dog { name } a: cat { name } }',
])('%s has the same result as graphql-js', (text) => {
  expect(messageOf(text)).toBe(expectedOf(text));
});

test('10 kB of repeated selections are validated in milliseconds', () => {
  const tree = (depth: number): string => (depth === 0 ? 'name' : `friend { ${tree(depth - 1)} } friend { ${tree(depth - 1)} }`);
  const document = parse(`{ dog { ${tree(9)} } }`);
  mergeConflict(schema, document);
  expect(timeOf(() => expect(mergeConflict(schema, document)).toBeUndefined())).toBeLessThan(100);
});

test('a document with exponential selections is rejected quickly', () => {
  const level = (depth: number): string => {
    if (depth === 0) return 'name';
    const inner = level(depth - 1);
    return `friend { ${inner} } ... on Dog { friend { name } } ... on Cat { friend { name } }`;
  };
  const document = parse(`{ animal { ${level(18)} } }`);
  const judge = () => expect(() => mergeConflict(schema, document)).toThrow('selects the same fields in too many places');
  expect(timeOf(judge)).toBeLessThan(500);
});
