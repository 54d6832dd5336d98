import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isObject, type JsonObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import { linearPattern } from './masking.ts';

const MAX_LENGTH = 32_000;
const MAX_DEPTH = 32;
/** Compiled schemas to keep. */
const MAX_COMPILED = 200;

const DRAFT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/** The fault of a JSON Schema, or undefined. May take long for a hostile schema. */
export function schemaFault(schema: JsonObject): string | undefined {
  if (JSON.stringify(schema).length > MAX_LENGTH) return `inputSchema must be at most ${MAX_LENGTH} characters of JSON`;
  if (depthOf(schema) > MAX_DEPTH) return `inputSchema must be nested at most ${MAX_DEPTH} levels deep`;
  if (schema.type !== undefined && schema.type !== 'object') return 'inputSchema must have the type object';
  if (schema.$schema !== undefined && !DRAFT.test(String(schema.$schema)))
    return 'inputSchema must be of JSON Schema 2020-12, or without $schema';
  const meta = metaSchema();
  if (!meta.validateSchema(schema))
    return `inputSchema is no valid JSON Schema: ${meta.errorsText(meta.errors, { dataVar: 'inputSchema' })}`;
  if (hasEndlessReference(schema)) return 'inputSchema has a reference that leads back to itself';
  try {
    compile(schema);
    return undefined;
  } catch (error) {
    return `inputSchema cannot be used: ${truncate((error as Error).message, 300)}`;
  }
}

/** The fault of parameters, or undefined. May take long for hostile schemas and parameters. */
export function inputFault(schema: JsonObject, params: unknown): string | undefined {
  try {
    const validate = compile(schema);
    if (validate(params)) return undefined;
    const fault = validator.errorsText(validate.errors, { dataVar: 'parameters' });
    return validate(withLongNumbers(params)) ? undefined : fault;
  } catch (error) {
    return `parameters cannot be checked: ${(error as Error).message}`;
  }
}

/** Long whole numbers arrive as text, which keeps their digits. They still fit the types of numbers. */
const withLongNumbers = (params: unknown): unknown =>
  JSON.parse(JSON.stringify(params), (_, value) =>
    typeof value === 'string' && /^-?\d{16,}$/.test(value) && !Number.isSafeInteger(Number(value)) ? Number(value) : value,
  );

const options = { strict: false, validateFormats: false, logger: false } as const;

let known: Ajv2020 | undefined;
/** Created on first use, because it compiles the schema of schemas. */
const metaSchema = () => {
  known ??= new Ajv2020(options);
  return known;
};

const regExp = Object.assign(
  (source: string) => {
    const pattern = linearPattern(source);
    return { test: (text: string) => pattern.matcher(text).find() };
  },
  { code: 'linearPattern' },
);

/** Formats messages only. */
const validator = new Ajv2020({ ...options, meta: false });

/** By the text of the schema, the most recently used last. */
const compiled = new Map<string, ValidateFunction>();

function compile(schema: JsonObject): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? compileAnew(schema);
  compiled.delete(text);
  compiled.set(text, validate);
  const [oldest] = compiled.keys();
  if (compiled.size > MAX_COMPILED) compiled.delete(oldest!);
  return validate;
}

/** Each schema has its own validator, so that ids of different tools cannot collide. */
function compileAnew(schema: JsonObject): ValidateFunction {
  // Without inlining, so that nested references cannot multiply the code.
  const own = { ...options, meta: false, validateSchema: false, inlineRefs: false, code: { regExp } } as const;
  // The library would check a schema with its keyword `$async` in the background, and take every value for valid.
  const { $schema: _, $async: __, ...rest } = schema;
  return new Ajv2020(own).compile(rest);
}

function depthOf(value: unknown): number {
  let [level, depth] = [[value], 0];
  while (level.length > 0 && depth <= MAX_DEPTH) {
    level = level.flatMap((each) => (isObject(each) || Array.isArray(each) ? Object.values(each) : []));
    depth += 1;
  }
  return depth;
}

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
function hasEndlessReference(schema: JsonObject): boolean {
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
