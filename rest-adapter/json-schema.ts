import type { GraphQLInputType, GraphQLNamedType, InputValueDefinitionNode } from 'graphql';
import { getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType, isScalarType, valueFromASTUntyped } from 'graphql';
import { type Constraint, constraintOf } from '../schema/constraint.ts';
import { scalarSchemas } from '../schema/scalar-schemas.ts';
import { words } from '../schema/words.ts';

export type JsonSchema = { [keyword: string]: unknown };

/** An argument or input field, of a schema that was read from text. */
export interface Documented {
  type: GraphQLInputType;
  defaultValue?: unknown;
  astNode?: Partial<Pick<InputValueDefinitionNode, 'description' | 'defaultValue' | 'directives'>> | null;
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
export function leafSchema(type: GraphQLNamedType, direction: 'input' | 'output'): JsonSchema {
  if (isEnumType(type)) {
    return { type: 'string', enum: type.getValues().map(({ name }) => name), ...described(type.description) };
  }
  if (!isScalarType(type)) return {};
  if (Object.hasOwn(words, type.name)) {
    const { values, description } = words[type.name as keyof typeof words];
    return { type: 'string', enum: values, description };
  }
  const shaped = scalarSchemas[type.name];
  if (shaped) return { ...shaped[direction], ...described(type.description) };
  const known = scalars[type.name];
  return {
    ...known,
    ...(!known && described(type.description)),
    ...(type.specifiedByURL && { externalDocs: { url: type.specifiedByURL } }),
  };
}

/** The schema of a value that goes in. Input types become components. */
export function inputSchema(value: Documented, components: Components): JsonSchema {
  const { type, astNode } = value;
  const fallback = defaultOf(value);
  const { notNull, ...constraint }: Constraint = constraintOf(value) ?? {};
  const schema = constrained(typeSchema(type, components), constraint);
  const open = isNonNullType(type) || notNull || fallback !== undefined ? schema : nullable(schema);
  // Keywords say the limits here; the description that introspection shows repeats them.
  return { ...open, ...described(astNode?.description?.value), ...(fallback !== undefined && { default: fallback }) };
}

function typeSchema(type: GraphQLInputType, components: Components): JsonSchema {
  if (isNonNullType(type)) return typeSchema(type.ofType, components);
  if (isListType(type)) {
    const items = typeSchema(type.ofType, components);
    return { type: 'array', items: isNonNullType(type.ofType) ? items : nullable(items) };
  }
  if (!isInputObjectType(type)) return leafSchema(getNamedType(type), 'input');
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

const keywords: { [K in Exclude<keyof Constraint, 'notNull'>]-?: string } = {
  minLength: 'minLength',
  maxLength: 'maxLength',
  pattern: 'pattern',
  format: 'format',
  min: 'minimum',
  max: 'maximum',
  minItems: 'minItems',
  maxItems: 'maxItems',
};
const ofLists: readonly string[] = ['minItems', 'maxItems'];

/** Add the keywords of a constraint. On a list, all but the number of items apply to each item. */
function constrained(schema: JsonSchema, constraint: Omit<Constraint, 'notNull'>): JsonSchema {
  const entries = Object.entries(constraint).map(([name, bound]) => [keywords[name as keyof typeof keywords], bound] as const);
  if (schema.type !== 'array') return { ...schema, ...Object.fromEntries(entries) };
  const about = Object.groupBy(entries, ([keyword]) => (ofLists.includes(keyword) ? 'list' : 'items'));
  const items = { ...(schema.items as JsonSchema), ...Object.fromEntries(about.items ?? []) };
  return { ...schema, ...Object.fromEntries(about.list ?? []), items };
}

/** The same, or null. A schema without a type takes null already. */
export function nullable(schema: JsonSchema): JsonSchema {
  if ('$ref' in schema || 'oneOf' in schema) return { anyOf: [schema, { type: 'null' }] };
  if (typeof schema.type !== 'string') return schema;
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }) };
}

export const described = (description: string | null | undefined) => (description ? { description } : {});
