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

/** Limits of a map of attribute values that a caller sends. Lengths count code points. */
export const attributeLimits = { entries: 1_000, key: 128, id: 128, name: 256, text: 100_000, choices: 1_000 } as const;

const { entries, key, id, name, text, choices } = attributeLimits;
const attributeType = { type: 'string', enum: enums.AttributeType.values };
const types = ['string', 'number', 'boolean', 'array', 'null'];

/** JSON Schemas of the scalar `AttributeValues`, for input and output. */
const attributeValuesSchemas = {
  input: {
    type: 'object',
    maxProperties: entries,
    propertyNames: { minLength: 1, maxLength: key },
    additionalProperties: {
      type: 'object',
      properties: {
        attributeId: { type: ['string', 'null'], maxLength: id },
        attributeName: { type: 'string', maxLength: name },
        attributeType,
        value: { type: types, maxLength: text, maxItems: choices, items: { type: 'string', maxLength: text } },
      },
      required: ['attributeType', 'value'],
    },
  },
  output: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: {
        attributeId: { type: ['string', 'null'] },
        attributeName: { type: 'string' },
        attributeType,
        value: { type: types, items: { type: 'string' } },
      },
      required: ['attributeId', 'attributeName', 'attributeType', 'value'],
    },
  },
};

/** JSON schemas of a scalar, as callers send it and as the service returns it. */
interface ScalarSchemas {
  input: Record<string, unknown>;
  output: Record<string, unknown>;
}

const alike = (schema: Record<string, unknown>): ScalarSchemas => ({ input: schema, output: schema });
const texts = { type: 'array', items: { type: 'string' } };
const content = { type: ['string', 'number', 'boolean', 'array', 'null'], items: { type: 'string' } };

const source = (mode: string, key: string) => ({
  type: 'object',
  properties: { mode: { type: 'string', enum: [mode] }, [key]: texts },
  required: ['mode', key],
});

const validationResult = {
  attributeId: { type: ['string', 'null'] },
  attributeName: { type: 'string' },
  attributeType: { type: 'string', enum: enums.AttributeType.values },
  existingValue: content,
  isValid: { type: 'boolean' },
  confidence: { type: 'number', minimum: 0, maximum: 100 },
  explanation: { type: 'string' },
};

/** Maximum parts of a message of the AI SDK. */
export const MAX_PARTS = 10_000;

const typed = { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] };
const uiMessage = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    role: { type: 'string', enum: ['user', 'assistant', 'system'] },
    parts: {
      type: 'array',
      items: { type: 'object', properties: { type: { type: 'string' }, text: { type: 'string' } }, required: ['type'] },
      maxItems: MAX_PARTS,
    },
  },
  required: ['role', 'parts'],
};

/** By name: the scalars that are objects of a known shape. OpenAPI and the types of generated clients come from here. */
export const scalarSchemas: Readonly<Record<string, ScalarSchemas>> = {
  AttributeValues: attributeValuesSchemas,
  AttributeContent: alike(content),
  ReferenceData: alike({ oneOf: [source('products', 'productIds'), source('websearch', 'urls')] }),
  ValidationResults: alike({
    type: 'object',
    additionalProperties: { type: 'object', properties: validationResult, required: Object.keys(validationResult) },
  }),
  ListLimit: alike({ type: ['integer', 'string'] }),
  Since: alike({ type: 'string' }),
  UIMessage: alike(uiMessage),
  UIMessageChunk: alike(typed),
  UIMessagePart: alike(typed),
  ToolResult: alike({ type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }),
  VariantOptions: alike({ type: 'object', additionalProperties: { type: 'string' } }),
};
