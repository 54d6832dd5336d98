import { buildSchema, isEnumType, isScalarType } from 'graphql';
import { type WordList, words } from '../../schema/words.ts';
import { textOf } from './files.ts';

const api = buildSchema(textOf('schema/api.graphql'));
const lists = (Object.keys(words) as WordList[]).map((name) => ({ name, values: [...words[name].values] as string[] }));
const [enums, scalars] = [true, false].map((are) =>
  lists.filter(({ values }) => values.every((word) => /^\w+$/.test(word)) === are),
);

test.each(enums!)('$name is an enum of the documented values, in order', ({ name, values }) => {
  const type = api.getType(name);
  expect(isEnumType(type) && type.getValues().map((each) => each.name)).toEqual(values);
});

test.each(scalars!)('$name is a scalar, because one of its values is not a GraphQL name', ({ name }) => {
  expect(isScalarType(api.getType(name))).toBe(true);
});

test('the words of jobs, products and members are enums', () => {
  expect(enums!.map(({ name }) => name)).toEqual(expect.arrayContaining(['JobStatus', 'ProductSort', 'Role', 'WebhookMethod']));
});
