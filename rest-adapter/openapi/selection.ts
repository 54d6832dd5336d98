import type { DocumentNode, FieldNode, GraphQLNamedType, GraphQLOutputType, GraphQLSchema, SelectionSetNode } from 'graphql';
import { getNamedType, isInterfaceType, isLeafType, isListType, isNonNullType, isObjectType, Kind, typeFromAST } from 'graphql';
import type { RowOperation } from '../endpoint.ts';
import type { Route, Row } from '../route.ts';
import { described, type JsonSchema, leafSchema, nullable } from './json-schema.ts';
import type { NameSchema } from './names.ts';

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
