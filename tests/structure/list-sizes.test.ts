import { type GraphQLField, getNamedType, getNullableType, isCompositeType, isListType, isObjectType } from 'graphql';
import { createGateway } from '../../gateway/compiled-gateway.ts';
import { textOf } from './files.ts';

const nothing = { execute: () => ({ data: null }), subscribe: async () => ({ data: null }) };
const { schema, listSizes } = createGateway({
  supergraph: textOf('schema/supergraph.graphql'),
  sources: { catalog: nothing, agent: nothing, 'site-content': nothing },
});

const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
const fields = types.flatMap((type) =>
  isObjectType(type) ? Object.values(type.getFields()).map((field) => ({ type, field })) : [],
);
const isList = ({ type }: GraphQLField<unknown, unknown>) =>
  isListType(getNullableType(type)) && isCompositeType(getNamedType(type));
const hasLength = ({ args }: GraphQLField<unknown, unknown>) => args.some(({ name }) => ['limit', 'perPage'].includes(name));

test('every list of objects has a size for the cost, by @listSize or a paging argument', () => {
  const lists = fields.filter(({ field }) => isList(field));
  expect(lists.length).toBeGreaterThan(25);
  const unbounded = lists.filter(({ type, field }) => {
    if (listSizes.has(`${type.name}.${field.name}`) || hasLength(field)) return false;
    const pages = fields.filter((each) => getNamedType(each.field.type) === type);
    return pages.length === 0 || !pages.every((each) => hasLength(each.field));
  });
  expect(unbounded.map(({ type, field }) => `${type.name}.${field.name}`)).toEqual([]);
});
