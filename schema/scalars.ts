import { GraphQLError, GraphQLScalarType, type GraphQLSchema, isScalarType, Kind } from 'graphql';
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars';
import { registerEnumType } from 'type-graphql';
import { type EnumName, type EnumValue, enums, isGraphQLEnum, notInList } from './enums.ts';
import { isObject } from './json.ts';

/** The scalar of a list with values that an enum cannot hold. Accepts and returns only the documented spellings. A literal may be a string or, where GraphQL can read it as one, an enum name. */
function enumScalar(name: EnumName): GraphQLScalarType<string, string> {
  const values: readonly string[] = enums[name].values;
  const read = (value: unknown): string => {
    if (typeof value === 'string' && values.includes(value)) return value;
    throw new GraphQLError(notInList(name), { extensions: { code: 'INVALID_INPUT' } });
  };
  return new GraphQLScalarType({
    name,
    description: `${enums[name].description} One of ${values.map((each) => `\`${each}\``).join(', ')}.`,
    serialize: (value) => value as string,
    parseValue: read,
    parseLiteral: (node) => read(node.kind === Kind.STRING || node.kind === Kind.ENUM ? node.value : undefined),
  });
}

/** The enum of a list, as type-graphql knows it. The values inside the service are the documented ones. */
function graphQLEnum(name: EnumName): object {
  const values = Object.fromEntries(enums[name].values.map((value) => [value, value]));
  registerEnumType(values, { name, description: enums[name].description });
  return values;
}

const lists = Object.keys(enums) as EnumName[];
const enumScalars = Object.fromEntries(lists.filter((name) => !isGraphQLEnum(name)).map((name) => [name, enumScalar(name)]));
const graphQLEnums = Object.fromEntries(lists.filter(isGraphQLEnum).map((name) => [name, graphQLEnum(name)]));

/** A GraphQL type whose values in the service are of the type `T`. */
export interface EnumType<T> {
  readonly value?: T;
}

/** The GraphQL type of each list, for `@Field(() => enumTypes.Role)`: an enum, or a scalar where a value is no GraphQL name. */
export const enumTypes = { ...enumScalars, ...graphQLEnums } as { [N in EnumName]: EnumType<EnumValue<N>> };

const object = {
  parseValue(value: unknown) {
    if (!isObject(value)) throw new Error('must be an object');
    return value;
  },
  parseLiteral: GraphQLJSONObject.parseLiteral,
};

/** Scalars whose values the gateway validates before it calls any subgraph. */
export const scalars = { ...enumScalars, DateTime: GraphQLDateTime, JSONObject: object, AttributeValues: object };

/** Add the validation of these scalars to a schema built from SDL, such as the supergraph. */
export function teachScalars(schema: GraphQLSchema): void {
  for (const [name, { parseValue, parseLiteral }] of Object.entries(scalars)) {
    const type = schema.getType(name);
    if (isScalarType(type)) Object.assign(type, { parseValue, parseLiteral });
  }
}
