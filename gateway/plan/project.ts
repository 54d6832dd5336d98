import type { FieldNode, GraphQLCompositeType, GraphQLOutputType, SelectionSetNode } from 'graphql';
import { getNamedType, isCompositeType, isLeafType, isListType, isNonNullType, isObjectType } from 'graphql';
import type { Complete, Trace } from './complete.ts';
import { leafOf, listOf, nonNull, nullable } from './complete.ts';
import { compileIntrospection } from './introspect.ts';
import type { Data } from './run.ts';
import { isInherited, isObject, own } from './run.ts';
import type { Selecting } from './select.ts';
import { fieldsFor } from './select.ts';

interface Field {
  readonly key: string;
  readonly inherited: boolean;
  /** Undefined for `__typename`, which is known beforehand. */
  readonly complete?: Complete;
  readonly typename?: string;
}

/** Write the response from the data: exactly what was selected, in its order. */
export type Project = (data: Data, trace: Trace) => unknown;

export const compileProjection = (root: GraphQLCompositeType, selection: SelectionSetNode, setting: Selecting): Project =>
  objectOf(root, [selection], setting);

/** Fields are compiled for each type an object turns out to have, so writing one asks no questions about fragments. */
function objectOf(type: GraphQLCompositeType, selections: SelectionSetNode[], setting: Selecting): Complete {
  const byType = new Map<unknown, readonly Field[]>();
  const fieldsOf = (runtime: GraphQLCompositeType) => {
    const fields = compileFields(runtime, selections, setting);
    byType.set(runtime.name, fields);
    return fields;
  };
  if (isObjectType(type)) {
    const fields = fieldsOf(type);
    return (value, trace) => (isObject(value) ? write(value, fields, trace) : null);
  }
  return (value, trace) => {
    if (!isObject(value)) return null;
    const name = value.__typename ?? type.name;
    const fields = byType.get(name);
    if (fields) return write(value, fields, trace);
    // A type that the API does not show is not there.
    const runtime = typeof name === 'string' ? setting.schema.getType(name) : undefined;
    return isCompositeType(runtime) ? write(value, fieldsOf(runtime), trace) : null;
  };
}

function write(source: Data, fields: readonly Field[], trace: Trace): Data | null {
  const object: Data = {};
  for (let at = 0; at < fields.length; at++) {
    const { key, inherited, complete, typename } = fields[at]!;
    if (!complete) {
      object[key] = typename;
      continue;
    }
    const completed = complete(inherited ? own(source, key) : source[key], trace);
    if (completed === undefined) {
      trace.path!.push(key);
      return null;
    }
    object[key] = completed;
  }
  return object;
}

function compileFields(type: GraphQLCompositeType, selections: SelectionSetNode[], setting: Selecting): Field[] {
  return [...fieldsFor(type, selections, setting)].map(([key, nodes]) => ({
    key,
    inherited: isInherited(key),
    ...compileField(type, nodes, setting),
  }));
}

function compileField(parent: GraphQLCompositeType, nodes: FieldNode[], setting: Selecting): Pick<Field, 'complete' | 'typename'> {
  const name = nodes[0]!.name.value;
  if (name === '__typename') {
    if (isObjectType(parent)) return { typename: parent.name };
    // An interface object whose real type could not be found out cannot be named.
    return { complete: nonNull(() => null, `Cannot tell the type of ${parent.name}.`) };
  }
  if (name.startsWith('__')) {
    const introspect = compileIntrospection(nodes, setting);
    return { complete: (_, { variables }) => introspect(variables) };
  }

  const type = (parent as { getFields?: () => Record<string, { type: GraphQLOutputType }> }).getFields?.()[name]?.type;
  if (!type) throw new Error(`${parent.name} has no field ${name}`);
  const named = getNamedType(type);
  const selected = nodes.flatMap((node) => node.selectionSet ?? []);
  const inner = isLeafType(named) ? leafOf(named) : objectOf(named, selected, setting);
  return { complete: wrap(type, inner, `Cannot return null for non-nullable field ${parent.name}.${name}.`) };
}

/** Lists and non-nulls of a type around the completion of its name. */
function wrap(type: GraphQLOutputType, inner: Complete, message: string): Complete {
  if (isNonNullType(type)) return nonNull(bare(type.ofType, inner, message), message);
  return isLeafType(type) ? inner : nullable(bare(type, inner, message));
}

const bare = (type: GraphQLOutputType, inner: Complete, message: string): Complete =>
  isListType(type) ? listOf(wrap(type.ofType, inner, message)) : inner;
