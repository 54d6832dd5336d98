import type { Represent } from './collect.ts';
import type { Data } from './run.ts';

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
    if (entity.__typename !== this.type) this.turnTo(entity.__typename);
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

  private turnTo(type: unknown): void {
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
