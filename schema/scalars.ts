import { GraphQLError, GraphQLScalarType, type GraphQLSchema, isScalarType, Kind } from 'graphql';
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars';
import { isObject } from './json.ts';
import { notInList, type WordList, words } from './words.ts';

/** The scalar of a list of words. Accepts and returns only the documented spellings. */
function wordScalar(name: WordList): GraphQLScalarType<string, string> {
  const values: readonly string[] = words[name].values;
  const read = (value: unknown): string => {
    if (typeof value === 'string' && values.includes(value)) return value;
    throw new GraphQLError(notInList(name), { extensions: { code: 'INVALID_INPUT' } });
  };
  return new GraphQLScalarType({
    name,
    description: `${words[name].description} One of ${values.map((each) => `\`${each}\``).join(', ')}.`,
    serialize: (value) => value as string,
    parseValue: read,
    parseLiteral: (node) => read(node.kind === Kind.STRING ? node.value : undefined),
  });
}

export const wordScalars = Object.fromEntries(Object.keys(words).map((name) => [name, wordScalar(name as WordList)])) as Record<
  WordList,
  GraphQLScalarType<string, string>
>;

const object = {
  parseValue(value: unknown) {
    if (!isObject(value)) throw new Error('must be an object');
    return value;
  },
  parseLiteral: GraphQLJSONObject.parseLiteral,
};

/** Scalars whose values the gateway validates before it calls any subgraph. */
export const scalars = { ...wordScalars, DateTime: GraphQLDateTime, JSONObject: object, AttributeValues: object };

/** Add the validation of these scalars to a schema built from SDL, such as the supergraph. */
export function teachScalars(schema: GraphQLSchema): void {
  for (const [name, { parseValue, parseLiteral }] of Object.entries(scalars)) {
    const type = schema.getType(name);
    if (isScalarType(type)) Object.assign(type, { parseValue, parseLiteral });
  }
}
