import { type GraphQLNamedType, type GraphQLSchema, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { commonDescriptions } from './common-descriptions.ts';
import { describeLimit, limitsOf } from './limits.ts';

/** Complete the descriptions of a schema: what every type says alike, and the declared limits. */
export function describeSchema(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) describeType(type);
  describeLimits(schema);
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

/** Write the declared limits into the descriptions, so that every document made from the schema shows them. */
function describeLimits(schema: GraphQLSchema): void {
  const { inputTypes, argumentTypes, queries, mutations, subscriptions, fieldResolvers } = getMetadataStorage();
  const note = (target: { description?: string | null } | undefined, sentence: string) => {
    // Two types may have a field of the same name and arguments.
    if (target && !target.description?.endsWith(sentence))
      target.description = [target.description, sentence].filter(Boolean).join(' ');
  };
  for (const { name, target } of inputTypes) {
    const type = schema.getType(name);
    if (!isInputObjectType(type)) continue;
    for (const [field, limit] of limitsOf(target)) note(type.getFields()[field], describeLimit(limit));
  }
  const argumentClasses = new Set<unknown>(argumentTypes.map(({ target }) => target));
  for (const { methodName, params = [] } of [...queries, ...mutations, ...subscriptions, ...fieldResolvers]) {
    for (const param of params) {
      const type = param.kind === 'args' ? param.getType() : undefined;
      if (!argumentClasses.has(type)) continue;
      for (const owner of Object.values(schema.getTypeMap()).filter(isObjectType)) {
        const field = owner.getFields()[methodName];
        for (const [name, limit] of field ? limitsOf(type) : [])
          note(
            field?.args.find((each) => each.name === name),
            describeLimit(limit),
          );
      }
    }
  }
}
