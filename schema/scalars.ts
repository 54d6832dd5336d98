import { GraphQLError, GraphQLScalarType, type GraphQLSchema, isScalarType, Kind } from 'graphql';
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars';
import { registerEnumType } from 'type-graphql';
import { isObject } from './json.ts';
import { isEnum, notInList, type WordList, words } from './words.ts';

/** The scalar of a list with words that an enum cannot hold. Accepts and returns only the documented spellings. */
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

/** The enum of a list, as type-graphql knows it. The values inside the service are the documented words. */
function wordEnum(name: WordList): object {
  const values = Object.fromEntries(words[name].values.map((word) => [word, word]));
  registerEnumType(values, { name, description: words[name].description });
  return values;
}

const lists = Object.keys(words) as WordList[];
const scalarsOfWords = Object.fromEntries(lists.filter((name) => !isEnum(name)).map((name) => [name, wordScalar(name)]));
const enumsOfWords = Object.fromEntries(lists.filter(isEnum).map((name) => [name, wordEnum(name)]));

/** The GraphQL type of each list, for `@Field(() => wordTypes.Role)`: an enum, or a scalar where a word is no GraphQL name. */
export const wordTypes = { ...scalarsOfWords, ...enumsOfWords } as Record<WordList, object>;

const object = {
  parseValue(value: unknown) {
    if (!isObject(value)) throw new Error('must be an object');
    return value;
  },
  parseLiteral: GraphQLJSONObject.parseLiteral,
};

/** Scalars whose values the gateway validates before it calls any subgraph. */
export const scalars = { ...scalarsOfWords, DateTime: GraphQLDateTime, JSONObject: object, AttributeValues: object };

/** Add the validation of these scalars to a schema built from SDL, such as the supergraph. */
export function teachScalars(schema: GraphQLSchema): void {
  for (const [name, { parseValue, parseLiteral }] of Object.entries(scalars)) {
    const type = schema.getType(name);
    if (isScalarType(type)) Object.assign(type, { parseValue, parseLiteral });
  }
}
