import type { Shape } from '../document/shape.ts';
import type { Data } from './run.ts';
import { isObject } from './run.ts';

/**
 * Copies of received entities, one for each path. Another fetch may write different values into their nested objects at each path, so
 * targets at different paths must not share them.
 */
export class PathCopies {
  /** For each path, the copies by the index of the entity. */
  private readonly byPath = new Map<number, Map<number, Data>>();
  private readonly used = new Set<number>();

  /**
   * @param pathOf index of the path at which a target was found
   * @param shape the selection of the entities
   */
  constructor(
    private readonly pathOf: ReadonlyMap<Data, number>,
    private readonly shape: Shape,
  ) {}

  /** The object to merge into a target. The first path gets the entity itself. */
  of(entity: Data, place: number, target: Data): Data {
    const path = this.pathOf.get(target)!;
    const copies = this.byPath.get(path) ?? new Map<number, Data>();
    this.byPath.set(path, copies);
    const known = copies.get(place);
    if (known) return known;
    const copy = this.used.has(place) ? copyOf(entity, this.shape) : entity;
    this.used.add(place);
    copies.set(place, copy);
    return copy;
  }
}

/** Copy selected objects and lists. Scalars are shared, because a source in this process may return any value as one. */
function copyOf<T>(value: T, shape: Shape): T;
function copyOf(value: unknown, shape: Shape): unknown {
  if (Array.isArray(value)) return value.map((each) => copyOf(each, shape));
  if (!isObject(value)) return value;
  const copy = { ...value };
  for (const [key, inner] of shape) if (inner && Object.hasOwn(copy, key)) copy[key] = copyOf(copy[key], inner);
  return copy;
}
