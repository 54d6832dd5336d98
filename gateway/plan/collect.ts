import type { QueryPlanSelectionNode, ResponsePath } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import type { Data } from './run.ts';
import { isObject, own } from './run.ts';
import { isOfType } from './types.ts';

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
  const step: Walk = (value, found) => {
    if (isObject(value)) next(own(value, key), found);
    else each(step)(value, found);
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

/** Take from an entity what its subgraph wants to know; undefined when a fetch before failed to bring it. */
export type Represent = (entity: Data) => Data | undefined;

/** The requirements of one fragment. They count together or not at all: some may stand under a condition that was off. */
interface Group {
  readonly fields: { key: string; inner?: Represent }[];
  readonly groups: Group[];
}

export function compileRepresent(requires: readonly QueryPlanSelectionNode[], supergraph: GraphQLSchema): Represent {
  const byType = new Map<unknown, Group>();
  return (entity) => {
    const type = entity.__typename;
    let group = byType.get(type);
    if (!group) {
      group = groupOf(requires, type, supergraph);
      byType.set(type, group);
    }
    const representation: Data = {};
    return fill(representation, entity, group) ? representation : undefined;
  };
}

function fill(representation: Data, entity: Data, { fields, groups }: Group): boolean {
  for (const { key } of fields) if (own(entity, key) === undefined) return false;
  for (const { key, inner } of fields) {
    const value = entity[key];
    representation[key] = inner ? joined(own(representation, key), represented(value, inner)) : value;
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
      group.fields.push({ key: selection.alias ?? selection.name, inner });
    } else if (selection.typeCondition && isOfType(supergraph, type, selection.typeCondition)) {
      group.groups.push(groupOf(selection.selections, type, supergraph));
    }
  }
  return group;
}

/** Entities of one request, each different one once, and which of them each target waits for. */
export interface Batch {
  readonly representations: Data[];
  readonly targets: Data[];
  /** For each target, the place of its representation. */
  readonly places: number[];
}

export function collectBatch(entities: Iterable<Data>, represent: Represent, rewrite: (representation: Data) => void): Batch {
  const representations: Data[] = [];
  const targets: Data[] = [];
  const places: number[] = [];
  const known = new Map<string, number>();
  for (const entity of entities) {
    const representation = represent(entity);
    if (!representation?.__typename) continue;
    const identity = identityOf(representation);
    let place = known.get(identity);
    if (place === undefined) {
      place = representations.length;
      known.set(identity, place);
      rewrite(representation);
      representations.push(representation);
    }
    targets.push(entity);
    places.push(place);
  }
  return { representations, targets, places };
}

/** Plain keys, which are nearly all, are told apart without serializing them. */
function identityOf(representation: Data): string {
  let identity = '';
  for (const key in representation) {
    const value = representation[key];
    if (typeof value === 'string') identity += `${key}:${value.length}:${value}`;
    else if (typeof value === 'object' && value !== null) return JSON.stringify(representation);
    else identity += `${key}=${value};`;
  }
  return identity;
}
