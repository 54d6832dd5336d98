import type { Represent } from './collect.ts';
import type { Data } from './run.ts';

const nowhere = -1;

/**
 * Entities of one request, each different one once, and which of them each target waits for. A class, because there is one for
 * each request to a subgraph and functions made each time would outlive it.
 */
export class Batch {
  readonly representations: Data[] = [];
  readonly targets: Data[] = [];
  /** For each target, the place of its representation. */
  readonly places: number[] = [];

  private readonly identities = new Map<string, number>();
  private type: unknown = this;
  private keys?: readonly string[];
  /** The first entity of each value of the first key, of the type at hand; those of other types wait in `others`. */
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
      if (place === undefined || place === nowhere) continue;
      this.targets.push(entity);
      this.places.push(place);
    }
  }

  private placeOf(entity: Data): number | undefined {
    // An object that failed to tell its type has none.
    if (entity.__typename !== this.type) this.turnTo(entity.__typename);
    const { keys } = this;
    const value = keys?.[0] && entity[keys[0]];
    if (!keys || (typeof value !== 'string' && typeof value !== 'number')) return this.placeByIdentity(entity);
    const first = this.firsts.get(value);
    if (first) return isSame(entity, first.entity, keys) ? first.place : this.placeByIdentity(entity);
    // One key alone is the whole identity.
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
    // Some plans require more of a type than they fetch of it, and would send what nobody could find.
    if (!this.isKeyed(representation)) return nowhere;
    return this.representations.push(representation) - 1;
  }
}

/** Most entities are there many times, and are told to be the same without being represented. */
interface First {
  readonly entity: Data;
  readonly place: number;
}

/** Objects are never found to be the same here: only their text tells. */
function isSame(entity: Data, first: Data, keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if (entity[keys[at]!] !== first[keys[at]!]) return false;
  return true;
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
