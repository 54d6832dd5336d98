import type { QueryPlanSelectionNode, ResponsePath } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { isOfType } from '../document/types.ts';
import type { Data } from './run.ts';
import { isInherited, isObject, own } from './run.ts';

/** The same object can stand in several places, and counts once. */
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

/** Find the objects at a path of the plan (`['products', '@', 'brand']`), in order; nulls on the way are passed over. */
export const compileWalk = (path: ResponsePath): Walk =>
  path.reduceRight<Walk>((next, step) => (step === '@' ? each(next) : under(String(step), next)), take);

/** Where in the response the objects at a path stand. Slow, for errors only: the hot path keeps no paths. */
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
  /** Take from an entity what its subgraph wants to know; undefined when a fetch before failed to bring it. */
  (entity: Data): Data | undefined;
  /** The fields of entities of a type that all else follows from, where they are plain. */
  keys(type: unknown): readonly string[] | undefined;
}

/** The requirements of one fragment. They count together or not at all: some may stand under a condition that was off. */
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

/** Nearly all entities are known by leaves of their own: `{ __typename id }`, `{ __typename id price }`. */
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
    representation[name] = inner ? joined(own(representation, name), represented(value, inner)) : value;
  }
  for (const group of groups) fill(representation, entity, group);
  return true;
}

function represented(value: unknown, inner: Represent): unknown {
  if (Array.isArray(value)) return value.map((element) => represented(element, inner));
  return isObject(value) ? (inner(value) ?? null) : null;
}

/** Two fragments may each want a part of the same object. */
function joined(known: unknown, more: unknown): unknown {
  if (Array.isArray(known) && Array.isArray(more)) return more.map((each, at) => joined(known[at], each));
  if (!isObject(known) || !isObject(more)) return more;
  for (const key of Object.keys(more)) known[key] = joined(own(known, key), more[key]);
  return known;
}

/** What holds for one type. Fragments for other types are left out, so an entity's type is looked at once. */
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
