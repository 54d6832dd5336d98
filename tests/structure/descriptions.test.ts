import { readFileSync } from 'node:fs';
import { buildSchema, isInputObjectType, isObjectType } from 'graphql';

const api = buildSchema(readFileSync('schema/api.graphql', 'utf8'));
const types = Object.values(api.getTypeMap()).filter(
  ({ name }) =>
    !name.startsWith('__') && !['ID', 'Int', 'Float', 'String', 'Boolean', 'Query', 'Mutation', 'Subscription'].includes(name),
);
const owners = [...types, api.getQueryType()!, api.getMutationType()!, api.getSubscriptionType()!].filter(
  (type) => isObjectType(type) || isInputObjectType(type),
);

test('every type, field and argument of the public graph is described', () => {
  const fields = owners.flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })),
  );
  const args = owners
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap(({ name, args }) =>
        args.map((field) => ({ name: `${type.name}.${name}(${field.name})`, field })),
      ),
    );
  const silent = [...types.map((each) => ({ name: each.name, field: each })), ...fields, ...args].filter(
    ({ field }) => !field.description,
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
  expect(fields.length).toBeGreaterThan(300);
});

test('internal fields of the gateway are not public', () => {
  expect(owners.filter(({ name }) => name.startsWith('Admission'))).toEqual([]);
  expect(api.getQueryType()!.getFields().admission).toBeUndefined();
});
