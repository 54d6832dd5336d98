import type { Data } from './run.ts';

/**
 * Copies of received entities, one for each path. Another fetch may write different values into their nested objects at each path, so
 * targets at different paths must not share them.
 */
export class PathCopies {
  /** For each path, the copies by the index of the entity. */
  private readonly byPath = new Map<number, Map<number, Data>>();
  private readonly used = new Set<number>();

  /** @param pathOf index of the path at which a target was found */
  constructor(private readonly pathOf: ReadonlyMap<Data, number>) {}

  /** The object to merge into a target. The first path gets the entity itself. */
  of(entity: Data, place: number, target: Data): Data {
    const path = this.pathOf.get(target)!;
    const copies = this.byPath.get(path) ?? new Map<number, Data>();
    this.byPath.set(path, copies);
    const known = copies.get(place);
    if (known) return known;
    const copy = this.used.has(place) ? structuredClone(entity) : entity;
    this.used.add(place);
    copies.set(place, copy);
    return copy;
  }
}
