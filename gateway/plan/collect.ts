import type { QueryPlanSelectionNode, ResponsePath } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { isOfType } from '../document/types.ts';
import type { Data } from './run.ts';
import { isInherited, isObject, own } from './run.ts';

/** Adds the objects at a path to a set, because the same object can occur at several paths. */
type Walk = (value: unknown, found: Set<Data>) => void;

const take: Walk = (value, found) => {
  if (Array.isArray(value)) for (const each of value) take(each, found);
  else if (isObject(value)) found.add(value);
};
const each =
  (next: Walk): Walk =>
  (value, found) => {
    if (Array.isArray(value)) for (const element of value) next(element, found);
  };
const under = (key: string, next: Walk): Walk => {
  const inherited = isInherited(key);
  const step: Walk = (value, found) => {
    if (Array.isArray(value)) for (const element of value) step(element, found);
    else if (isObject(value)) next(inherited ? own(value, key) : value[key], found);
  };
  return step;
};

/** Compile a walk to the objects at a plan path, such as `['products', '@', 'brand']`. It skips nulls and keeps the order. */
export const compileWalk = (path: ResponsePath): Walk =>
  path.reduceRight<Walk>((next, step) => (step === '@' ? each(next) : under(String(step), next)), take);

/** Yield the objects at a plan path with their response paths. Slow, so it runs only for errors. */
export function* locate(value: unknown, path: ResponsePath, at: ResponsePath = []): Generator<[Data, ResponsePath]> {
  const [step, ...rest] = path;
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* locate(element, step === '@' ? rest : path, [...at, index]);
  } else if (isObject(value)) {
    if (step === undefined) yield [value, at];
    else yield* locate(own(value, String(step)), rest, [...at, step]);
  }
}

export interface Represent {
  /** Build the representation of an entity; undefined when an earlier fetch failed to provide a required field. */
  (entity: Data): Data | undefined;
  /** The scalar fields that identify entities of a type; undefined when they are not all scalars. */
  keys(type: unknown): readonly string[] | undefined;
}

/** The requirements of one fragment. Omit all of them if one is missing, because its condition may have been false. */
interface Group {
  readonly fields: { key: string; name: string; inherited: boolean; inner?: Represent }[];
  readonly groups: Group[];
  keys?: readonly string[];
}

export function compileRepresent(requires: readonly QueryPlanSelectionNode[], supergraph: GraphQLSchema): Represent {
  const byType = new Map<unknown, Group>();
  const groupFor = (type: unknown): Group => {
    let group = byType.get(type);
    if (!group) {
      group = groupOf(requires, type, supergraph);
      group.keys = plainKeys(group);
      byType.set(type, group);
    }
    return group;
  };
  const represent = (entity: Data) => {
    const representation: Data = {};
    return fill(representation, entity, groupFor(entity.__typename)) ? representation : undefined;
  };
  return Object.assign(represent, { keys: (type: unknown) => groupFor(type).keys });
}

/** The keys of a group that holds only leaves, which is the usual case: `{ __typename id }`, `{ __typename id price }`. */
function plainKeys({ fields, groups }: Group): string[] | undefined {
  const [only] = groups;
  if (fields.length === 0 && only && groups.length === 1) return plainKeys(only);
  const keys = fields.filter(({ key }) => key !== '__typename');
  const isPlain = groups.length === 0 && keys.length > 0 && keys.length < fields.length;
  return isPlain && keys.every(({ inner, inherited }) => !inner && !inherited) ? keys.map(({ key }) => key) : undefined;
}

function fill(representation: Data, entity: Data, { fields, groups }: Group): boolean {
  for (const { key, inherited } of fields) if ((inherited ? own(entity, key) : entity[key]) === undefined) return false;
  for (const { key, name, inner } of fields) {
    const value = entity[key];
    representation[name] = inner ? mergeValues(own(representation, name), representValue(value, inner)) : value;
  }
  for (const group of groups) fill(representation, entity, group);
  return true;
}

function representValue(value: unknown, inner: Represent): unknown {
  if (Array.isArray(value)) return value.map((element) => representValue(element, inner));
  return isObject(value) ? (inner(value) ?? null) : null;
}

/** Merge two values, because two fragments may each require a part of the same object. */
function mergeValues(known: unknown, more: unknown): unknown {
  if (Array.isArray(known) && Array.isArray(more)) return more.map((each, at) => mergeValues(known[at], each));
  if (!isObject(known) || !isObject(more)) return more;
  for (const key of Object.keys(more)) known[key] = mergeValues(own(known, key), more[key]);
  return known;
}

/** Select the requirements of one type, so that the type of an entity is checked once. */
function groupOf(requires: readonly QueryPlanSelectionNode[], type: unknown, supergraph: GraphQLSchema): Group {
  const group: Group = { fields: [], groups: [] };
  for (const selection of requires) {
    if (selection.kind === 'Field') {
      const inner = selection.selections && compileRepresent(selection.selections, supergraph);
      const key = selection.alias ?? selection.name;
      group.fields.push({ key, name: selection.name, inherited: isInherited(key), inner });
    } else if (selection.typeCondition && isOfType(supergraph, type, selection.typeCondition)) {
      group.groups.push(groupOf(selection.selections, type, supergraph));
    }
  }
  return group;
}
