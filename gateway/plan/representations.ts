import type { QueryPlanSelectionNode, ResponsePath } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { isOfType } from '../selection.ts';
import { type Data, isInherited, isObject, own } from './context.ts';

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

interface Represent {
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

const noRepresentation = -1;

/** The representations of one request, and the entities that they stand for. */
export interface Representations {
  readonly representations: Data[];
  readonly targets: Data[];
  /** For each representation, its first target. */
  readonly firstTargets: Data[];
  /** For each target, the index of its representation. */
  readonly places: number[];
}

/** Divide representations into parts of at most `size`. */
export function divide({ representations, targets, firstTargets, places }: Representations, size: number): Representations[] {
  const parts: Representations[] = [];
  for (let from = 0; from < representations.length; from += size) {
    const slice = (all: Data[]) => all.slice(from, from + size);
    parts.push({ representations: slice(representations), firstTargets: slice(firstTargets), targets: [], places: [] });
  }
  for (const [at, place] of places.entries()) {
    const part = parts[Math.floor(place / size)]!;
    part.targets.push(targets[at]!);
    part.places.push(place % size);
  }
  return parts;
}

/**
 * The deduplicated entities of one subgraph request, and the targets of each. A class instead of closures, because closures
 * created per request would survive young-generation GC.
 */
export class Batch implements Representations {
  readonly representations: Data[] = [];
  readonly targets: Data[] = [];
  readonly firstTargets: Data[] = [];
  readonly places: number[] = [];

  private readonly identities = new Map<string, number>();
  private type: unknown = this;
  private keys?: readonly string[];
  /** For the current type, the first entity of each value of the first key. `others` holds the maps of the other types. */
  private firsts = new Map<unknown, First>();
  private readonly others = new Map<unknown, Map<unknown, First>>();

  constructor(
    entities: Iterable<Data>,
    private readonly represent: Represent,
    private readonly rewrite: (representation: Data) => void,
    private readonly isKeyed: (representation: Data) => boolean,
  ) {
    for (const entity of entities) {
      const place = this.placeOf(entity);
      if (place === undefined || place === noRepresentation) continue;
      this.targets.push(entity);
      this.places.push(place);
      if (place === this.firstTargets.length) this.firstTargets.push(entity);
    }
  }

  private placeOf(entity: Data): number | undefined {
    // `__typename` is undefined when a failed fetch did not return it.
    if (entity.__typename !== this.type) this.selectType(entity.__typename);
    const { keys } = this;
    const value = keys?.[0] && entity[keys[0]];
    if (!keys || (typeof value !== 'string' && typeof value !== 'number')) return this.placeByIdentity(entity);
    const first = this.firsts.get(value);
    if (first) return isSame(entity, first.entity, keys) ? first.place : this.placeByIdentity(entity);
    // A single key is the whole identity.
    const place = keys.length === 1 ? this.add(this.represent(entity)!) : this.placeByIdentity(entity);
    if (place !== undefined) this.firsts.set(value, { entity, place });
    return place;
  }

  private selectType(type: unknown): void {
    this.type = type;
    this.keys = this.represent.keys(type);
    const firsts = this.others.get(type) ?? new Map<unknown, First>();
    this.others.set(type, firsts);
    this.firsts = firsts;
  }

  private placeByIdentity(entity: Data): number | undefined {
    const representation = this.represent(entity);
    if (!representation?.__typename) return undefined;
    const identity = identityOf(representation);
    let place = this.identities.get(identity);
    if (place === undefined) {
      place = this.add(representation);
      this.identities.set(identity, place);
    }
    return place;
  }

  private add(representation: Data): number {
    this.rewrite(representation);
    // Some plans fetch too few fields for a key of the type; the subgraph could not find such an entity.
    if (!this.isKeyed(representation)) return noRepresentation;
    return this.representations.push(representation) - 1;
  }
}

/** The first entity with a key value. Most entities repeat, and comparing with the first one avoids building a representation. */
interface First {
  readonly entity: Data;
  readonly place: number;
}

/** Object keys are never equal by `===`; `placeByIdentity` compares their JSON. */
function isSame(entity: Data, first: Data, keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if (entity[keys[at]!] !== first[keys[at]!]) return false;
  return true;
}

/** Avoids `JSON.stringify` for representations that hold only scalars, which are nearly all. */
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
