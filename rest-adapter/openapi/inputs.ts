import {
  type FieldNode,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  type InputValueDefinitionNode,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Constraint, constraintOf } from '../../schema/directives.ts';
import { enums } from '../../schema/enums.ts';
import { scalarSchemas } from '../../schema/scalars.ts';
import { WHOLE_BODY } from '../request/request-variables.ts';
import { CURSOR, type Route } from '../route.ts';

/** A variable of an operation and its documented place in the request. */
export interface Input extends DocumentedInput {
  name: string;
  place: 'path' | 'query' | 'header' | 'body' | 'whole body';
  /** The request header, for inputs in a header. */
  header?: string;
}

/** The variables of a row, with the documentation of the arguments or input fields that they fill. */
export function inputsOf(route: Route, operation: OperationDefinitionNode, schema: GraphQLSchema): Input[] {
  const targets = targetsOf(operation, schema);
  const isCursor = (name: string) => route.row.reply === 'file' && name === CURSOR;
  const definitions = (operation.variableDefinitions ?? []).filter(({ variable }) => !isCursor(variable.name.value));
  return definitions.map(({ variable, type, defaultValue }) => {
    const name = variable.name.value;
    const target = targets.get(name);
    // A required variable overrides the default of its argument.
    const open = type.kind !== Kind.NON_NULL_TYPE;
    const ownDefault = defaultValue ?? (open ? target?.astNode?.defaultValue : undefined);
    return {
      name,
      place: placeOf(name, route),
      header: route.row.headerVariables?.[name],
      type: typeFromAST(schema, type) as GraphQLInputType,
      defaultValue: open ? target?.defaultValue : undefined,
      astNode: { ...target?.astNode, defaultValue: ownDefault },
    };
  });
}

function placeOf(name: string, { params, method, row }: Route): Input['place'] {
  if (name === WHOLE_BODY) return 'whole body';
  if (params.includes(name)) return 'path';
  if (Object.hasOwn(row.headerVariables ?? {}, name)) return 'header';
  const inQuery = method === 'GET' || method === 'DELETE' || Object.hasOwn(row.example.query ?? {}, name);
  return inQuery ? 'query' : 'body';
}

function targetsOf(operation: OperationDefinitionNode, schema: GraphQLSchema): Map<string, DocumentedInput> {
  const targets = new Map<string, DocumentedInput>();
  const follow = (value: ValueNode, target: DocumentedInput | undefined): void => {
    if (!target) return;
    if (value.kind === Kind.VARIABLE && !targets.has(value.name.value)) targets.set(value.name.value, target);
    if (value.kind === Kind.LIST) for (const each of value.values) follow(each, target);
    if (value.kind !== Kind.OBJECT) return;
    const type = getNamedType(target.type);
    for (const field of value.fields) follow(field.value, isInputObjectType(type) ? type.getFields()[field.name.value] : undefined);
  };

  const types = new TypeInfo(schema);
  const Field = (node: FieldNode) => {
    const args = types.getFieldDef()?.args ?? [];
    for (const { name, value } of node.arguments ?? [])
      follow(
        value,
        args.find((each) => each.name === name.value),
      );
  };
  visit(operation, visitWithTypeInfo(types, { Field }));
  return targets;
}

export type JsonSchema = { [keyword: string]: unknown };

/** An argument or input field of a schema built from SDL. */
interface DocumentedInput {
  type: GraphQLInputType;
  defaultValue?: unknown;
  astNode?: Partial<Pick<InputValueDefinitionNode, 'description' | 'defaultValue' | 'directives'>> | null;
}

/** Named schemas that others reference. */
export type Components = Record<string, JsonSchema>;

/** The JSON Schema of an idempotency key: printable ASCII without blanks. */
export const idempotencyKeySchema: JsonSchema = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' };

const scalars: Record<string, JsonSchema> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
  ID: { type: 'string' },
  DateTime: { type: 'string', format: 'date-time' },
  JSONObject: { type: 'object' },
};

/** The JSON Schema of a scalar or an enum. Closed word lists become `enum`. */
export function leafSchema(type: GraphQLNamedType, direction: 'input' | 'output'): JsonSchema {
  if (isEnumType(type)) {
    return { type: 'string', enum: type.getValues().map(({ name }) => name), ...described(type.description) };
  }
  if (!isScalarType(type)) return {};
  if (Object.hasOwn(enums, type.name)) {
    const { values, description } = enums[type.name as keyof typeof enums];
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

/** The JSON Schema of an input value. Input object types become components. */
export function inputSchema(value: DocumentedInput, components: Components): JsonSchema {
  const { type, astNode } = value;
  const fallback = defaultOf(value);
  const { notNull, ...constraint }: Constraint = constraintOf(value) ?? {};
  const schema = constrained(typeSchema(type, components), constraint);
  const open = isNonNullType(type) || notNull || fallback !== undefined ? schema : nullable(schema);
  // Use the description without limits, because keywords express them.
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
    // Register the type before its fields, because it may be recursive.
    components[type.name] = {};
    components[type.name] = { ...objectSchema(Object.values(type.getFields()), components), ...described(type.description) };
  }
  return { $ref: `#/components/schemas/${type.name}` };
}

export function objectSchema(fields: readonly (DocumentedInput & { name: string })[], components: Components): JsonSchema {
  const required = fields.filter(isRequired).map(({ name }) => name);
  const properties = Object.fromEntries(fields.map((field) => [field.name, inputSchema(field, components)]));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export const isRequired = (value: DocumentedInput) => isNonNullType(value.type) && defaultOf(value) === undefined;

function defaultOf({ astNode, defaultValue }: DocumentedInput): unknown {
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
const listKeywords: readonly string[] = ['minItems', 'maxItems'];

/** Add the keywords of a constraint. On a list, all keywords but `minItems` and `maxItems` apply to the items. */
function constrained(schema: JsonSchema, constraint: Omit<Constraint, 'notNull'>): JsonSchema {
  const entries = Object.entries(constraint).map(([name, bound]) => [keywords[name as keyof typeof keywords], bound] as const);
  if (schema.type !== 'array') return { ...schema, ...Object.fromEntries(entries) };
  const byTarget = Object.groupBy(entries, ([keyword]) => (listKeywords.includes(keyword) ? 'list' : 'items'));
  const items = { ...(schema.items as JsonSchema), ...Object.fromEntries(byTarget.items ?? []) };
  return { ...schema, ...Object.fromEntries(byTarget.list ?? []), items };
}

/** Allow null. A schema without a type allows it already. */
export function nullable(schema: JsonSchema): JsonSchema {
  if ('$ref' in schema || 'oneOf' in schema) return { anyOf: [schema, { type: 'null' }] };
  if (typeof schema.type !== 'string') return schema;
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }) };
}

export const described = (description: string | null | undefined) => (description ? { description } : {});
