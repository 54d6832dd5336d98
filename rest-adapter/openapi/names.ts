import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';
import { type RowOperation, readOperation } from '../endpoint.ts';
import type { Route, Row } from '../route.ts';
import { type Components, described, type JsonSchema, leafSchema, nullable } from './inputs.ts';

const pascal = (words: string) =>
  words
    .split(/[^A-Za-z0-9]/)
    .map((word) => word.replace(/^./, (letter) => letter.toUpperCase()))
    .join('');
const camel = (words: string) => pascal(words).replace(/^./, (letter) => letter.toLowerCase());

/**
 * The ids of the operations of a document, by route: a verb and a noun such as `listProducts`, like the tools of MCP. Where two routes would
 * have one id, the later one has its surface and path instead.
 */
export function operationIds(routes: readonly Route[], schema: GraphQLSchema): ReadonlyMap<Route, string> {
  const ids = new Map<Route, string>();
  const taken = new Set<string>();
  for (const route of routes) {
    const { surface, method, path } = route;
    const short = camel(toolName(route, readOperation(route, schema), schema));
    const id = taken.has(short) ? camel(`${surface.name} ${method.toLowerCase()} ${path.replace('/api', '')}`) : short;
    taken.add(id);
    ids.set(route, id);
  }
  return ids;
}

/** The id of the operation of routes that share a path. */
export const sharedId = ({ path }: Route): string => camel(`manage ${path.split('/').at(-1)}`);

/** Names the schema of a selection of a GraphQL type: returns a reference to it, or the schema itself. `isItem`: it is in a list. */
type NameSchema = (type: string, isItem: boolean, schema: JsonSchema) => JsonSchema;

/**
 * Names the selections of one operation, so that generated clients have types to import. An item of a list has the name of its GraphQL type, with the
 * constants of the operation in front: `jobs(kind: "ai-import")` lists `AiImportJob`. Where another schema has the name, the id of the operation
 * comes in front.
 */
export function schemaNames({ root }: RowOperation, operationId: string, components: Components): NameSchema {
  const kind = (root.arguments ?? [])
    .map(({ value }) => (value.kind === Kind.STRING || value.kind === Kind.ENUM ? pascal(value.value) : ''))
    .join('');
  return (type, isItem, schema) => {
    const names = [isItem ? joined(kind, type) : type, joined(kind, type), pascal(operationId) + type];
    return refer(names, schema, components);
  };
}

/** Both may share a word, as `ImportJob` and `JobItem` do. */
const joined = (kind: string, type: string): string => {
  const [first = ''] = /^[A-Z][a-z]*/.exec(type) ?? [];
  return kind.endsWith(first) ? kind + type.slice(first.length) : kind + type;
};

/** A reference to a schema, under the first of the names that no other schema has. Without one, the schema stays inline. */
export function refer(names: readonly string[], schema: JsonSchema, components: Components): JsonSchema {
  const text = JSON.stringify(schema);
  const name = names.find((each) => !(each in components) || JSON.stringify(components[each]) === text);
  if (name === undefined) return schema;
  components[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of the result of an operation. */
export const resultName = (operationId: string): string => `${pascal(operationId)}Result`;

/**
 * The JSON Schema of the payload of a row, without its envelope.
 * @param name names the schemas below the payload; by default they stay inline
 */
export function payloadSchema(
  { row }: Route,
  { document, operation, root }: RowOperation,
  schema: GraphQLSchema,
  name: NameSchema = (_type, _isItem, inline) => inline,
): JsonSchema {
  return fieldSchema(schema, document, schema.getRootType(operation.operation)!, root, row, name);
}

/** The JSON Schema of the response of a field, with aliases as keys. */
function fieldSchema(
  schema: GraphQLSchema,
  document: DocumentNode,
  parent: GraphQLNamedType,
  field: FieldNode,
  { omitNull = [], flatten }: Pick<Row, 'omitNull' | 'flatten'>,
  name: NameSchema,
): JsonSchema {
  const define = (type: GraphQLNamedType, node: FieldNode) =>
    isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;

  const ofField = (type: GraphQLNamedType, node: FieldNode, path: string): JsonSchema => {
    const definition = define(type, node);
    if (!definition) return { type: 'string' };
    const given = isNonNullType(definition.type) || !omitNull.includes(path) ? definition.type : undefined;
    const value = given ? ofType(given, node, path) : ofPresent(definition.type, node, path);
    return { ...value, ...described(definition.description) };
  };
  const ofType = (type: GraphQLOutputType, node: FieldNode, path: string, isItem = false): JsonSchema =>
    isNonNullType(type) ? ofPresent(type.ofType, node, path, isItem) : nullable(ofPresent(type, node, path, isItem));
  const ofPresent = (type: GraphQLOutputType, node: FieldNode, path: string, isItem = false): JsonSchema => {
    if (isListType(type)) return { type: 'array', items: ofType(type.ofType, node, path, true) };
    const named = getNamedType(type);
    if (isLeafType(named) || !node.selectionSet) return leafSchema(named, 'output');
    const selected = ofSelection(named, node.selectionSet, path);
    // The caller names the payload itself.
    if (path === '' && !isItem) return selected;
    return name(named.name, isItem, flatten && path === '' ? { ...selected, additionalProperties: true } : selected);
  };

  const ofSelection = (type: GraphQLNamedType, { selections }: SelectionSetNode, path: string): JsonSchema => {
    const properties: Record<string, JsonSchema> = {};
    const required = new Set<string>();
    for (const each of selections) {
      if (each.kind === Kind.FIELD) {
        const key = each.alias?.value ?? each.name.value;
        const at = path ? `${path}.${key}` : key;
        properties[key] = ofField(type, each, at);
        if (!omitNull.includes(at) && !each.directives?.length) required.add(key);
        continue;
      }
      const fragment = each.kind === Kind.INLINE_FRAGMENT ? each : fragmentOf(document, each.name.value);
      const on = fragment.typeCondition ? (typeFromAST(schema, fragment.typeCondition) as GraphQLNamedType) : type;
      const part = ofSelection(on, fragment.selectionSet, path);
      Object.assign(properties, part.properties);
      if (on === type && !each.directives?.length) for (const key of part.required as string[]) required.add(key);
    }
    return { type: 'object', properties, required: [...required] };
  };

  // The root is never null, because a null payload is an error.
  const root = define(parent, field)!;
  return ofPresent(isNonNullType(root.type) ? root.type.ofType : root.type, field, '');
}

function fragmentOf({ definitions }: DocumentNode, name: string) {
  const found = definitions.find((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name);
  if (found?.kind !== Kind.FRAGMENT_DEFINITION) throw new Error(`no fragment ${name}`);
  return found;
}

/**
 * The name of the tool of a row: a verb and a noun of its operation, such as `create_brand` or `list_products`. Constants in the
 * operation are part of the noun: `stopJob(kind: "ai-import")` becomes `stop_ai_import_job`.
 */
export function toolName({ row }: Route, { operation, root }: RowOperation, schema: GraphQLSchema): string {
  if (row.toolName) return row.toolName;
  const kind = (root.arguments ?? []).flatMap(constantOf);
  const words = wordsOf(root.name.value);
  if (operation.operation !== 'query') return [words[0], ...qualified(kind, words.slice(1))].join('_');
  return [isList(root, schema) ? 'list' : 'get', ...qualified(kind, words)].join('_');
}

const constantOf = ({ value }: ArgumentNode): string[] =>
  value.kind === Kind.STRING || value.kind === Kind.ENUM ? value.value.split(/[^a-z0-9]+/i) : [];

const wordsOf = (name: string) => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());

/** Both may share a word, as `brand-enrichment` and `enrichmentFile` do. */
const qualified = (kind: string[], noun: string[]) => [...kind, ...(kind.at(-1) === noun[0] ? noun.slice(1) : noun)];

/** Whether the field is a list, or a page with `nodes`. */
function isList({ name }: FieldNode, schema: GraphQLSchema): boolean {
  const type = getNullableType(schema.getQueryType()?.getFields()[name.value]?.type);
  return isListType(type) || (isObjectType(type) && 'nodes' in type.getFields());
}
