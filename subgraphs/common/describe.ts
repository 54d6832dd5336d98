import { type GraphQLNamedType, type GraphQLSchema, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { commonDescriptions } from './common-descriptions.ts';

/** Complete the descriptions of a schema with what every type says alike. */
export function describeSchema(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) describeType(type);
}

function describeType(type: GraphQLNamedType): void {
  if (type.name.startsWith('__')) return;
  const { types, fields, inputs } = commonDescriptions;
  const [, ending = ''] = /(Page|List|Input)$/.exec(type.name) ?? [];
  if (isObjectType(type) || isInputObjectType(type) || isInterfaceType(type))
    type.description ||= types[ending] ?? types[type.name.match(/^[A-Z][a-z]+/)?.[0] ?? ''];
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) field.description ||= inputs[field.name] ?? fields[field.name];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return;
  for (const field of Object.values(type.getFields())) {
    field.description ||= fields[field.name];
    for (const argument of field.args) argument.description ||= inputs[argument.name];
  }
}
