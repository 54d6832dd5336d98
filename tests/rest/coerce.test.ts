import { buildSchema, type GraphQLInputType, parseType, typeFromAST } from 'graphql';
import { addField } from '../../rest-adapter/request/multipart.ts';
import { formReader, urlReader } from '../../rest-adapter/request/request-variables.ts';

const schema = buildSchema(
  'input Node { id: ID on: Boolean ratio: Float! next: Node tags: [Int!] } type Query { a(node: Node): Int }',
);
const typeOf = (text: string) => typeFromAST(schema, parseType(text) as never) as GraphQLInputType;
const places = { url: urlReader, form: formReader };

test.each<[type: string, text: unknown, value: unknown]>([
  ['Int', '7', 7],
  ['Int!', '-7', -7],
  ['Int', '1.5', '1.5'],
  ['Int', '1e3', '1e3'],
  ['Int', '0x10', '0x10'],
  ['Int', ' 7', ' 7'],
  ['Float', '1.5', 1.5],
  ['Float!', '1e3', 1000],
  ['Float', '-1.5E-1', -0.15],
  ['Float', '.5', '.5'],
  ['Float', 'NaN', 'NaN'],
  ['Boolean', 'true', true],
  ['Boolean', 'false', false],
  ['Boolean', 'TRUE', 'TRUE'],
  ['Boolean', '1', '1'],
  ['String', '12', '12'],
  ['String', 'true', 'true'],
  ['String', '', ''],
  ['ID', '12', '12'],
  ['ID!', '', ''],
  ['Int', ['1', '2'], ['1', '2']],
  ['[Int!]', '4', [4]],
  ['[Float]!', ['1e3', 'x'], [1000, 'x']],
  ['[ID!]', ['a', 'b'], ['a', 'b']],
])('%s reads %j as %j in a URL and in a form', (type, text, value) => {
  for (const reader of Object.values(places)) expect(reader(typeOf(type))(text)).toEqual(value);
});

test.each<[place: keyof typeof places, type: string, text: unknown, value: unknown]>([
  ['url', '[Int!]', '4,5', [4, 5]],
  ['url', '[String!]', ['a,b', 'c'], ['a', 'b', 'c']],
  ['url', '[ID!]', '', []],
  ['url', 'ID', '', ''],
  ['form', '[Int!]', '4,5', ['4,5']],
  ['form', '[Int!]', '["4", 5]', [4, 5]],
  ['form', '[Int!]', '[4', ['[4']],
  ['form', 'ID', '', null],
  ['form', '[ID!]', '', ['']],
  ['form', 'Int', '', ''],
  [
    'form',
    'Node',
    '{"on": "true", "ratio": "1e3", "next": {"tags": ["1"]}, "more": "1"}',
    { on: true, ratio: 1000, next: { tags: [1] }, more: '1' },
  ],
  ['form', 'Node', '{', '{'],
  ['form', 'Node', 'x', 'x'],
])('in a %s, %s reads %j as %j', (place, type, text, value) => {
  expect(places[place](typeOf(type))(text)).toEqual(value);
});

describe('names of form fields', () => {
  const fieldsOf = (...pairs: [string, string][]) => {
    const fields: Record<string, unknown> = Object.create(null);
    for (const [name, text] of pairs) addField(fields, name, text);
    return fields;
  };

  test('repeated names are lists, and brackets are keys', () => {
    expect(fieldsOf(['a', '1'], ['a', '2'], ['b[c][d]', '3'], ['b[c][e][]', '4'], ['odd]', '5'])).toEqual({
      a: ['1', '2'],
      b: { c: { d: '3', e: '4' } },
      'odd]': '5',
    });
  });

  test('inherited names stay plain keys', () => {
    const fields = fieldsOf(['__proto__[polluted]', '1'], ['a[constructor][prototype][polluted]', '2']);
    expect(JSON.stringify(fields)).toBe('{"__proto__":{"polluted":"1"},"a":{"constructor":{"prototype":{"polluted":"2"}}}}');
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  test('a name cannot be a text and an object', () => {
    expect(() => fieldsOf(['a', '1'], ['a[b]', '2'])).toThrow('a is both a text and an object');
  });
});
