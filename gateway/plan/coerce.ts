import type { GraphQLInputObjectType, GraphQLInputType } from 'graphql';
import { isInputObjectType, isListType, isNonNullType, isRequiredInputField } from 'graphql';
import { Faults, printable } from './faults.ts';
import { maxDepth, maxEntries, tooDeep } from './input.ts';
import type { Read, Scalars } from './leaves.ts';
import { compileLeaf } from './leaves.ts';
import type { Data } from './run.ts';
import { isObject } from './run.ts';

/** Compile the coercion of one input type, by the rules of GraphQL. Input objects are cached, because they may be recursive. */
export function compileInput(type: GraphQLInputType, scalars: Scalars, readers: Map<string, Read>, ofNull = 'is required'): Read {
  if (isNonNullType(type)) {
    const read = compileInput(type.ofType, scalars, readers);
    return (value, faults, depth) => (value === null ? faults.add(ofNull) : read(value, faults, depth));
  }
  if (isListType(type)) return orNull(compileList(compileInput(type.ofType, scalars, readers)));
  if (!isInputObjectType(type)) return orNull(compileLeaf(type, scalars));

  const read = readers.get(type.name);
  if (read) return read;
  let compiled: Read | undefined;
  const later: Read = orNull((value, faults, depth) => {
    compiled ??= compileObject(type, scalars, readers);
    return compiled(value, faults, depth);
  });
  readers.set(type.name, later);
  return later;
}

const orNull =
  (read: Read): Read =>
  (value, faults, depth) =>
    value === null ? null : read(value, faults, depth);

function compileList(read: Read): Read {
  return (value, faults, depth) => {
    if (!Array.isArray(value)) {
      // GraphQL coerces a single value to a list of one. If the value is invalid, report the missing array instead.
      const own = new Faults();
      const only = [read(value, own, depth)];
      if (own.count > 0) faults.add('must be an array');
      return only;
    }
    if (depth > maxDepth) return faults.add(tooDeep);
    if (value.length > maxEntries) return faults.add(`must have at most ${maxEntries} entries`);

    const list = new Array<unknown>(value.length);
    for (let at = 0; at < value.length && !faults.full; at++) {
      const before = faults.count;
      list[at] = read(value[at] ?? null, faults, depth + 1);
      if (faults.count > before) faults.under(at, before);
    }
    return list;
  };
}

function compileObject(type: GraphQLInputObjectType, scalars: Scalars, readers: Map<string, Read>): Read {
  const fields = Object.values(type.getFields()).map((field) => ({
    name: field.name,
    required: isRequiredInputField(field),
    fallback: field.defaultValue,
    read: compileInput(field.type, scalars, readers, field.defaultValue === undefined ? 'is required' : 'must not be null'),
  }));
  const names = new Set(fields.map(({ name }) => name));

  return (value, faults, depth) => {
    if (!isObject(value)) return faults.add('must be an object');
    if (depth > maxDepth) return faults.add(tooDeep);

    const object: Data = {};
    let present = 0;
    for (const { name, required, fallback, read } of fields) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      if (given === undefined) {
        if (required) faults.add('is required', name);
        else if (fallback !== undefined) object[name] = fallback;
        continue;
      }
      present++;
      const before = faults.count;
      object[name] = read(given, faults, depth + 1);
      if (faults.count > before) faults.under(name, before);
    }

    const keys = Object.keys(value);
    if (keys.length > present) {
      for (const key of keys) {
        if (faults.full) break;
        if (!names.has(key)) faults.add('unknown field:', printable(key), true);
      }
    }
    return object;
  };
}
