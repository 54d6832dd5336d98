import { buildSchema, isEnumType, isScalarType } from 'graphql';
import { type EnumName, enums } from '../../schema/enums.ts';
import { sources, textOf } from './files.ts';

const api = buildSchema(textOf('schema/api.graphql'));
const lists = (Object.keys(enums) as EnumName[]).map((name) => ({ name, values: [...enums[name].values] as string[] }));
const [named, scalars] = [true, false].map((are) =>
  lists.filter(({ values }) => values.every((value) => /^\w+$/.test(value)) === are),
);

test.each(named!)('$name is an enum of the documented values, in order', ({ name, values }) => {
  const type = api.getType(name);
  expect(isEnumType(type) && type.getValues().map((each) => each.name)).toEqual(values);
});

test.each(scalars!)('$name is a scalar, because one of its values is not a GraphQL name', ({ name }) => {
  expect(isScalarType(api.getType(name))).toBe(true);
});

test('the values of jobs, products and members are enums', () => {
  expect(named!.map(({ name }) => name)).toEqual(expect.arrayContaining(['JobStatus', 'ProductSort', 'Role', 'WebhookMethod']));
});

test('each subject that the audit log records is a documented one', () => {
  const recorded = sources
    .filter((file) => /^(platform|subgraphs)\//.test(file))
    .flatMap((file) =>
      [...textOf(file).matchAll(/identity\.audit\('(\w+)'|record_change\([^,]*, '(\w+)'/g)].map(([, one, other]) => one ?? other!),
    );
  expect(recorded.length).toBeGreaterThan(10);
  expect(recorded.filter((subject) => !(enums.AuditSubject.values as readonly string[]).includes(subject))).toEqual([]);
});
