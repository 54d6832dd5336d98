import type { ConstDirectiveNode, GraphQLInputType, GraphQLNamedType, GraphQLScalarType, ValueNode } from 'graphql';
import { getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType, isScalarType, valueFromASTUntyped } from 'graphql';
import { words } from '../schema/words.ts';

export type JsonSchema = { [keyword: string]: unknown };

/** An argument or input field: what is said about a value that goes in. */
export interface Documented {
  type: GraphQLInputType;
  description?: string | null;
  defaultValue?: unknown;
  astNode?: { defaultValue?: ValueNode; directives?: readonly ConstDirectiveNode[] } | null;
}

/** Schemas that are named once and referred to. */
export type Components = Record<string, JsonSchema>;

const scalars: Record<string, JsonSchema> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
  ID: { type: 'string' },
  DateTime: { type: 'string', format: 'date-time' },
  DateTimeISO: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  JSON: {},
  JSONObject: { type: 'object' },
};

/** The schema of a scalar or an enum, with the words it takes where they are a closed list. */
export function leafSchema(type: GraphQLNamedType): JsonSchema {
  if (isEnumType(type)) {
    return { type: 'string', enum: type.getValues().map(({ name }) => name), ...described(type.description) };
  }
  if (!isScalarType(type)) return {};
  const list = wordsOf(type);
  const known = scalars[type.name];
  if (list) return { type: 'string', enum: list, ...described(type.description) };
  return {
    ...known,
    ...(!known && described(type.description)),
    ...(type.specifiedByURL && { externalDocs: { url: type.specifiedByURL } }),
  };
}

function wordsOf({ name, astNode }: GraphQLScalarType): readonly string[] | undefined {
  if (Object.hasOwn(words, name)) return words[name as keyof typeof words].values;
  return directive(astNode?.directives, 'words')?.values as string[] | undefined;
}

/** The schema of a value that goes in. Input types become components. */
export function inputSchema(value: Documented, components: Components): JsonSchema {
  const { type, description, astNode } = value;
  const fallback = defaultOf(value);
  const schema = constrained(typeSchema(type, components), directive(astNode?.directives, 'constraint'));
  const open = isNonNullType(type) || fallback !== undefined ? schema : nullable(schema);
  return { ...open, ...described(description), ...(fallback !== undefined && { default: fallback }) };
}

function typeSchema(type: GraphQLInputType, components: Components): JsonSchema {
  if (isNonNullType(type)) return typeSchema(type.ofType, components);
  if (isListType(type)) {
    const items = typeSchema(type.ofType, components);
    return { type: 'array', items: isNonNullType(type.ofType) ? items : nullable(items) };
  }
  if (!isInputObjectType(type)) return leafSchema(getNamedType(type));
  if (!components[type.name]) {
    // Named before its fields are looked at, because a type may hold itself.
    components[type.name] = {};
    components[type.name] = { ...objectSchema(Object.values(type.getFields()), components), ...described(type.description) };
  }
  return { $ref: `#/components/schemas/${type.name}` };
}

export function objectSchema(fields: readonly (Documented & { name: string })[], components: Components): JsonSchema {
  const required = fields.filter(isRequired).map(({ name }) => name);
  const properties = Object.fromEntries(fields.map((field) => [field.name, inputSchema(field, components)]));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export const isRequired = (value: Documented) => isNonNullType(value.type) && defaultOf(value) === undefined;

function defaultOf({ astNode, defaultValue }: Documented): unknown {
  return astNode?.defaultValue ? valueFromASTUntyped(astNode.defaultValue) : defaultValue;
}

const keywords: Record<string, string> = {
  minLength: 'minLength',
  maxLength: 'maxLength',
  pattern: 'pattern',
  format: 'format',
  min: 'minimum',
  max: 'maximum',
  exclusiveMin: 'exclusiveMinimum',
  exclusiveMax: 'exclusiveMaximum',
  words: 'enum',
  minItems: 'minItems',
  maxItems: 'maxItems',
  uniqueItems: 'uniqueItems',
};
const ofLists = ['minItems', 'maxItems', 'uniqueItems'];

/** Adds what a `@constraint` says. On a list, all but the number of items is about each item. */
function constrained(schema: JsonSchema, constraint: Record<string, unknown> = {}): JsonSchema {
  const entries = Object.entries(constraint).filter(([name]) => Object.hasOwn(keywords, name));
  const pick = (wanted: (name: string) => boolean) =>
    Object.fromEntries(entries.filter(([name]) => wanted(name)).map(([name, value]) => [keywords[name], value]));
  if (schema.type !== 'array') return { ...schema, ...pick(() => true) };
  const items = { ...(schema.items as JsonSchema), ...pick((name) => !ofLists.includes(name)) };
  return { ...schema, ...pick((name) => ofLists.includes(name)), items };
}

function directive(directives: readonly ConstDirectiveNode[] = [], name: string): Record<string, unknown> | undefined {
  const found = directives.find((each) => each.name.value === name);
  if (!found) return undefined;
  return Object.fromEntries((found.arguments ?? []).map((each) => [each.name.value, valueFromASTUntyped(each.value)]));
}

/** The same, or null. A schema without a type takes null already. */
export function nullable(schema: JsonSchema): JsonSchema {
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] };
  if (typeof schema.type !== 'string') return schema;
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }) };
}

export const described = (description: string | null | undefined) => (description ? { description } : {});
