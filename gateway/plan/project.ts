import type { FieldNode, GraphQLCompositeType, GraphQLOutputType, SelectionSetNode } from 'graphql';
import { getNamedType, isCompositeType, isLeafType, isListType, isNonNullType, isObjectType } from 'graphql';
import type { KeyTree, Selecting } from '../document/select.ts';
import { fieldsFor } from '../document/select.ts';
import { meets } from '../document/types.ts';
import type { Complete, Trace } from './complete.ts';
import { leafOf, listOf, NULL, nonNull, nullable } from './complete.ts';
import { compileIntrospection } from './introspect.ts';
import type { Data } from './run.ts';
import { isInherited, isObject, own } from './run.ts';

interface Field {
  readonly key: string;
  readonly inherited: boolean;
  /** The key as JSON, with the preceding brace or comma. */
  readonly head: string;
  readonly complete: Complete;
  /** Nested objects count their own length. */
  readonly isLeaf: boolean;
  /** Omit the field when it is null. */
  readonly omitNull: boolean;
}

/** Writes the JSON of the response from the data: the selected fields in their order. */
export type Project = Complete;

export const compileProjection = (root: GraphQLCompositeType, selection: SelectionSetNode, setting: Selecting): Project =>
  objectOf(root, [selection], setting, setting.omitNull);

/** Compile the fields once per runtime type, so that writing an object evaluates no fragments. */
function objectOf(type: GraphQLCompositeType, selections: SelectionSetNode[], setting: Selecting, omit?: KeyTree): Complete {
  const byType = new Map<unknown, Complete>();
  const writerOf = (runtime: GraphQLCompositeType) => {
    const fields = compileFields(runtime, selections, setting, omit);
    const write = fields.some(({ omitNull }) => omitNull) ? writeSome(fields) : writeAll(fields);
    byType.set(runtime.name, write);
    return write;
  };
  if (isObjectType(type)) {
    const write = writerOf(type);
    return (value, trace) => (isObject(value) ? write(value, trace) : NULL);
  }
  return (value, trace) => {
    if (!isObject(value)) return NULL;
    const name = value.__typename ?? type.name;
    const write = byType.get(name);
    if (write) return write(value, trace);
    // An inaccessible type becomes null, and so does one that cannot occur here.
    const runtime = typeof name === 'string' ? setting.schema.getType(name) : undefined;
    return isCompositeType(runtime) && meets(setting.schema, runtime, type) ? writerOf(runtime)(value, trace) : NULL;
  };
}

function writeAll(fields: readonly Field[]): Complete {
  if (fields.length === 0) return () => '{}';
  return (value, trace) => {
    let text = '';
    let length = 0;
    for (let at = 0; at < fields.length; at++) {
      const { key, inherited, head, complete, isLeaf } = fields[at]!;
      const completed = complete(inherited ? own(value as Data, key) : (value as Data)[key], trace);
      if (completed === undefined) return passUp(key, trace);
      text += head + completed;
      length += isLeaf ? head.length + completed.length : head.length;
    }
    count(length, trace);
    return `${text}}`;
  };
}

/** Like `writeAll`, for objects with fields that are omitted when null. */
function writeSome(fields: readonly Field[]): Complete {
  return (value, trace) => {
    let text = '';
    for (const { key, head, complete, omitNull, isLeaf } of fields) {
      const completed = complete(own(value as Data, key), trace);
      if (completed === undefined) return passUp(key, trace);
      count(isLeaf ? head.length + completed.length : head.length, trace);
      if (!omitNull || completed !== NULL) text += (text === '' ? '{' : ',') + head.slice(1) + completed;
    }
    return text === '' ? '{}' : `${text}}`;
  };
}

/** Add to the length of the response. Throws when the response exceeds its budget. */
function count(length: number, trace: Trace): void {
  trace.length += length;
  if (trace.length > trace.limit) trace.budget!.write(trace.length);
}

function passUp(key: string, trace: Trace): string {
  trace.path!.push(key);
  return NULL;
}

function compileFields(type: GraphQLCompositeType, selections: SelectionSetNode[], setting: Selecting, omit?: KeyTree): Field[] {
  return [...fieldsFor(type, selections, setting)].map(([key, nodes], at) => ({
    key,
    isLeaf: nodes.every(({ selectionSet }) => !selectionSet) || nodes[0]!.name.value.startsWith('__'),
    inherited: isInherited(key),
    head: `${at === 0 ? '{' : ','}${JSON.stringify(setting.responseKey(key))}:`,
    complete: compileField(type, nodes, setting, omit?.get(setting.responseKey(key))),
    omitNull: omit?.get(setting.responseKey(key))?.size === 0,
  }));
}

function compileField(parent: GraphQLCompositeType, nodes: FieldNode[], setting: Selecting, omit?: KeyTree): Complete {
  const name = nodes[0]!.name.value;
  if (name === '__typename') {
    const text = JSON.stringify(parent.name);
    // The runtime type of an interface object is unknown when no subgraph resolved it.
    return isObjectType(parent) ? () => text : nonNull(() => NULL, `Cannot tell the type of ${parent.name}.`);
  }
  if (name.startsWith('__')) {
    const introspect = compileIntrospection(nodes, setting);
    return (_, { variables }) => introspect(variables);
  }

  const type = (parent as { getFields?: () => Record<string, { type: GraphQLOutputType }> }).getFields?.()[name]?.type;
  if (!type) throw new Error(`${parent.name} has no field ${name}`);
  const named = getNamedType(type);
  const selected = nodes.flatMap((node) => node.selectionSet ?? []);
  const inner = isLeafType(named) ? leafOf(named) : objectOf(named, selected, setting, omit);
  return wrap(type, inner, `Cannot return null for non-nullable field ${parent.name}.${name}.`);
}

/** Wrap the completion of a named type in its lists and non-nulls. */
function wrap(type: GraphQLOutputType, inner: Complete, message: string): Complete {
  if (isNonNullType(type)) return nonNull(bare(type.ofType, inner, message), message);
  return isLeafType(type) ? inner : nullable(bare(type, inner, message));
}

const bare = (type: GraphQLOutputType, inner: Complete, message: string): Complete =>
  isListType(type) ? listOf(wrap(type.ofType, inner, message)) : inner;
