import { isObject, type JsonObject } from '../../../schema/json.ts';

const BASE = 'schema:/';
/** Keywords whose schemas apply to the same value, not to a part of it. */
const IN_PLACE = ['not', 'if', 'then', 'else'];
const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'];

/** The schemas of a document by their addresses, and the base address of each. */
interface Index {
  byAddress: Map<string, JsonObject>;
  bases: Map<JsonObject, string>;
  /** The targets of `$dynamicRef`, by their anchors. */
  dynamic: Map<string, JsonObject[]>;
}

/**
 * Whether a reference leads back to itself without entering a property or an item, so that a check never ends. References to enclosing
 * schemas from inside a value are fine: values are finite.
 */
export function hasEndlessReference(schema: JsonObject): boolean {
  const index: Index = { byAddress: new Map(), bases: new Map(), dynamic: new Map() };
  addSchemas(schema, { base: BASE, pointer: '' }, index);
  const state = new Map<JsonObject, 'open' | 'done'>();
  const isEndless = (each: JsonObject): boolean => {
    const known = state.get(each);
    if (known) return known === 'open';
    state.set(each, 'open');
    const found = sameValueSchemas(each, index).some(isEndless);
    state.set(each, 'done');
    return found;
  };
  return [...index.bases.keys()].some(isEndless);
}

/** Index every object that may be a schema, by JSON pointer and by anchor. */
function addSchemas(value: unknown, { base, pointer }: { base: string; pointer: string }, index: Index): void {
  const place = isObject(value) ? addSchema(value, { base, pointer }, index) : { base, pointer };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value))
    addSchemas(each, { base: place.base, pointer: `${place.pointer}/${escaped(key)}` }, index);
}

/** Returns the base and the pointer of the schema for those below it. */
function addSchema(schema: JsonObject, { base, pointer }: { base: string; pointer: string }, { byAddress, bases, dynamic }: Index) {
  const own = typeof schema.$id === 'string' ? { base: resolve(schema.$id, base), pointer: '' } : { base, pointer };
  // The pointer from its parent stays valid.
  byAddress.set(`${base}#${pointer}`, schema).set(`${own.base}#${own.pointer}`, schema);
  bases.set(schema, own.base);
  for (const keyword of ['$anchor', '$dynamicAnchor'])
    if (typeof schema[keyword] === 'string') byAddress.set(`${own.base}#${schema[keyword]}`, schema);
  const { $dynamicAnchor: anchor } = schema;
  if (typeof anchor === 'string') dynamic.set(anchor, [...(dynamic.get(anchor) ?? []), schema]);
  return own;
}

/** The schemas that apply to the same value as this one. */
function sameValueSchemas(schema: JsonObject, { byAddress, bases, dynamic }: Index): JsonObject[] {
  const base = bases.get(schema)!;
  const lists = IN_PLACE_LISTS.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : []));
  const dependent = isObject(schema.dependentSchemas) ? Object.values(schema.dependentSchemas) : [];
  const { $ref, $dynamicRef } = schema;
  const referenced = [$ref, $dynamicRef].flatMap((reference) =>
    typeof reference === 'string' ? (byAddress.get(addressOf(reference, base)) ?? []) : [],
  );
  const anchored = typeof $dynamicRef === 'string' ? (dynamic.get($dynamicRef.split('#')[1] ?? '') ?? []) : [];
  return [...IN_PLACE.map((keyword) => schema[keyword]), ...lists, ...dependent, ...referenced, ...anchored].filter(isObject);
}

function addressOf(reference: string, base: string): string {
  const [document = '', fragment = ''] = reference.split('#');
  return `${document === '' ? base : resolve(document, base)}#${decoded(fragment)}`;
}

const resolve = (id: string, base: string): string => URL.parse(id.split('#')[0]!, base)?.href ?? id;

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
