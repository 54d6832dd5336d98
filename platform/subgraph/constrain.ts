import { type GraphQLArgument, type GraphQLInputField, type GraphQLSchema, isInputObjectType, isObjectType } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { CONSTRAINT } from '../../schema/directives.ts';
import { type Limit, limitsOf } from '../fields/index.ts';

/** Add the declared limits to a schema as `@constraint` directives, for the printed SDL. */
export function constrainSchema(schema: GraphQLSchema): void {
  const { inputTypes } = getMetadataStorage();
  for (const { name, target } of inputTypes) {
    const type = schema.getType(name);
    if (isInputObjectType(type)) constrain(limitsOf(target), (field) => type.getFields()[field]);
  }
  for (const { owner, name, argsType } of fieldsWithArguments()) {
    const type = schema.getType(owner);
    const args = isObjectType(type) ? (type.getFields()[name]?.args ?? []) : [];
    constrain(limitsOf(argsType), (argument) => args.find((each) => each.name === argument));
  }
}

type Target = GraphQLInputField | GraphQLArgument;

function constrain(limits: ReadonlyMap<string, Limit>, targetOf: (name: string) => Target | undefined): void {
  for (const [name, { pattern, faults: _, ...limit }] of limits) {
    const target = targetOf(name);
    if (!target) continue;
    const constraint = { ...limit, ...(pattern && { pattern: pattern.source }) };
    target.extensions = { ...target.extensions, directives: { [CONSTRAINT]: constraint } };
  }
}

/** All fields with an arguments class in this process, which may contain several subgraphs. */
function* fieldsWithArguments() {
  const { queries, mutations, subscriptions, fieldResolvers, objectTypes } = getMetadataStorage();
  const roots = [
    { owner: 'Query', resolvers: queries },
    { owner: 'Mutation', resolvers: mutations },
    { owner: 'Subscription', resolvers: subscriptions },
  ];
  const ofObjects = fieldResolvers.map((resolver) => {
    const target = (resolver.getObjectType ?? resolver.resolverClassMetadata?.getObjectType)?.();
    return { owner: objectTypes.find((each) => each.target === target)?.name ?? '', resolvers: [resolver] };
  });
  for (const { owner, resolvers } of [...roots, ...ofObjects]) {
    for (const { schemaName: name, params = [] } of resolvers)
      for (const param of params) if (param.kind === 'args') yield { owner, name, argsType: param.getType() };
  }
}
