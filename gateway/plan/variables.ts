import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import { fail } from '../gateway-error.ts';
import type { SentInputs } from '../usage/collector.ts';
import { type Data, isObject } from './context.ts';
import { compileLimits, type InputLimits } from './variable-limits.ts';

/** Validates and coerces the variables of a caller. Throws one `INVALID_INPUT` with all faults. */
type ReadVariables = (given: Readonly<Data>) => Readonly<Data>;

export function compileVariables(
  definition: OperationDefinitionNode,
  schema: GraphQLSchema,
  scalars: Scalars,
  limits: InputLimits = () => [],
  sent?: SentInputs,
): ReadVariables {
  const { variableDefinitions = [] } = definition;
  const brokenLimits = compileLimits(definition, schema, limits);
  const compiler: Compiler = { scalars, readers: new Map(), sent };
  const readers = variableDefinitions.map(({ variable, type: node, defaultValue }) => {
    const type = typeFromAST(schema, node) as GraphQLInputType;
    const name = variable.name.value;
    return {
      name,
      required: isNonNullType(type) && !defaultValue,
      fallback: defaultValue && valueFromAST(defaultValue, type),
      read: compileInput(type, compiler),
      // REST bodies fill the variable `input`; their callers know only its fields.
      segment: name === 'input' ? '' : name,
    };
  });

  return (given) => {
    sent?.begin();
    const faults = new Faults();
    // Without a prototype, an absent variable named `constructor` is undefined.
    const variables: Data = Object.create(null);
    for (const { name, required, fallback, read, segment } of readers) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined) {
        if (required) faults.add('is required', name);
        else if (fallback !== undefined) variables[name] = fallback;
        continue;
      }
      const before = faults.count;
      variables[name] = read(value, faults, 0);
      if (faults.count > before) faults.under(segment, before, name);
    }
    if (faults.count > 0) throw fail('INVALID_INPUT', faults.sentence(brokenLimits(given)));
    sent?.end(given);
    return variables;
  };
}

/** The context in which the input types of an operation are compiled. */
interface Compiler {
  readonly scalars: Scalars;
  /** By input type, because they may be recursive. */
  readonly readers: Map<string, Read>;
  readonly sent?: SentInputs;
}

/** Compile the coercion of one input type, by the rules of GraphQL. */
function compileInput(type: GraphQLInputType, compiler: Compiler, ofNull = 'is required'): Read {
  const { readers, scalars, sent } = compiler;
  if (isNonNullType(type)) {
    const read = compileInput(type.ofType, compiler);
    return (value, faults, depth) => (value === null ? faults.add(ofNull) : read(value, faults, depth));
  }
  if (isListType(type)) return orNull(compileList(compileInput(type.ofType, compiler)));
  if (!isInputObjectType(type)) return orNull(compileLeaf(type, scalars, sent));

  const read = readers.get(type.name);
  if (read) return read;
  let compiled: Read | undefined;
  const later: Read = orNull((value, faults, depth) => {
    compiled ??= compileObject(type, compiler);
    return compiled(value, faults, depth);
  });
  readers.set(type.name, later);
  return later;
}

const orNull =
  (read: Read): Read =>
  (value, faults, depth) =>
    value === null ? null : read(value, faults, depth);

function compileList(read: Read): Read {
  return (value, faults, depth) => {
    if (!Array.isArray(value)) {
      // GraphQL coerces a single value to a list of one. If the value is invalid, report the missing array instead.
      const own = new Faults();
      const only = [read(value, own, depth)];
      if (own.count > 0) faults.add('must be an array');
      return only;
    }
    if (depth > maxDepth) return faults.add(tooDeep);
    if (value.length > maxEntries) return faults.add(`must have at most ${maxEntries} entries`);

    const list = new Array<unknown>(value.length);
    for (let at = 0; at < value.length && !faults.full; at++) {
      const before = faults.count;
      list[at] = read(value[at] ?? null, faults, depth + 1);
      if (faults.count > before) faults.under(at, before);
    }
    return list;
  };
}

function compileObject(type: GraphQLInputObjectType, compiler: Compiler): Read {
  const { sent } = compiler;
  const own = sent?.indexOf(type.name) ?? 0;
  const fields = Object.values(type.getFields()).map((field) => ({
    name: field.name,
    required: isRequiredInputField(field),
    fallback: field.defaultValue,
    coordinate: sent?.indexOf(`${type.name}.${field.name}`) ?? 0,
    read: compileInput(field.type, compiler, field.defaultValue === undefined ? 'is required' : 'must not be null'),
  }));
  const names = new Set(fields.map(({ name }) => name));

  return (value, faults, depth) => {
    if (!isObject(value)) return faults.add('must be an object');
    if (depth > maxDepth) return faults.add(tooDeep);

    sent?.mark(own);
    const object: Data = {};
    let present = 0;
    for (const { name, required, fallback, coordinate, read } of fields) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      if (given === undefined) {
        if (required) faults.add('is required', name);
        else if (fallback !== undefined) object[name] = fallback;
        continue;
      }
      present++;
      sent?.mark(coordinate);
      const before = faults.count;
      object[name] = read(given, faults, depth + 1);
      if (faults.count > before) faults.under(name, before);
    }

    const keys = Object.keys(value);
    if (keys.length > present) {
      for (const key of keys) {
        if (faults.full) break;
        if (!names.has(key)) faults.add('unknown field:', printable(key), true);
      }
    }
    return object;
  };
}

/**
 * Scalars that validate values, by name. `parseValue` throws the message: the path is prefixed to 'must be one of …', with a colon if the
 * message starts with a capital letter.
 */
export type Scalars = Readonly<Record<string, Pick<GraphQLScalarType, 'parseValue'>>>;

type Read = (value: unknown, faults: Faults, depth: number) => unknown;

const validating =
  (fault: (value: unknown) => string | undefined, read: (value: unknown) => unknown = (value) => value): Read =>
  (value, faults) => {
    const message = fault(value);
    if (!message) return read(value);
    faults.add(message);
    return value;
  };

const text = (value: unknown) => (typeof value === 'string' ? textFault(value) : 'must be a string');
const minInt = -(2 ** 31);
const maxInt = 2 ** 31 - 1;

const builtIn: Record<string, Read> = {
  String: validating(text),
  ID: validating((value) => (typeof value === 'number' && Number.isSafeInteger(value) ? undefined : text(value)), String),
  Boolean: validating((value) => (typeof value === 'boolean' ? undefined : 'must be true or false')),
  Float: validating((value) => (typeof value === 'number' ? numberFault(value) : 'must be a number')),
  Int: validating((value) => {
    if (!Number.isInteger(value)) return 'must be an integer';
    if ((value as number) < minInt || (value as number) > maxInt) return `must be an integer between ${minInt} and ${maxInt}`;
  }),
};

function compileLeaf(type: GraphQLScalarType | GraphQLEnumType, scalars: Scalars, sent: SentInputs | undefined): Read {
  if (isEnumType(type)) {
    const values = new Map(type.getValues().map(({ name }) => [name, sent?.indexOf(`${type.name}.${name}`) ?? 0]));
    const message = `must be one of ${[...values.keys()].join(', ')}`;
    return (value, faults) => {
      const index = values.get(value as string);
      if (index === undefined) faults.add(message);
      else sent?.mark(index);
      return value;
    };
  }
  return builtIn[type.name] ?? compileScalar(scalars[type.name]);
}

/** Validate a value without converting it, because its subgraph parses it again. */
function compileScalar(scalar: Scalars[string] | undefined): Read {
  return (value, faults, depth) => {
    const fault = valueFault(value, depth);
    if (fault) {
      faults.add(fault.message, printable(fault.path));
      return value;
    }
    try {
      scalar?.parseValue(value);
    } catch (error) {
      faults.add((error as Error).message);
    }
    return value;
  };
}

const maxShown = 5;
const maxKeyLength = 64;

interface Fault {
  path: string;
  message: string;
  /** Whether the text comes before the path, as in 'unknown field: foo'. */
  precedesPath: boolean;
}

/**
 * Collects the errors of an input. The containers of an invalid value add its path afterwards, so a valid input tracks no paths.
 */
class Faults {
  private readonly list: Fault[] = [];

  get count(): number {
    return this.list.length;
  }

  get full(): boolean {
    return this.list.length >= maxShown;
  }

  add(message: string, path = '', precedesPath = false): void {
    this.list.push({ path, message, precedesPath });
  }

  /** Prefix the paths of all faults added since `before` with a name or an index. `bare` replaces a path that stays empty. */
  under(segment: string | number, before: number, bare = ''): void {
    for (const fault of this.list.slice(before)) {
      const head = typeof segment === 'number' ? `[${segment}]` : segment;
      const joint = head === '' || fault.path === '' || fault.path.startsWith('[') ? '' : '.';
      fault.path = head + joint + fault.path || bare;
    }
  }

  /** Join at most five faults into one sentence. `more` holds complete sentences, which come last. */
  sentence(more: Iterable<string> = []): string {
    const sentences = new Set(
      this.list
        .slice(0, maxShown)
        .map(({ path, message, precedesPath }) =>
          precedesPath ? `${message} ${path}` : `${path}${/^\p{Lu}/u.test(message) ? ':' : ''} ${message}`,
        ),
    );
    for (const each of more) {
      if (sentences.size >= maxShown) break;
      sentences.add(each);
    }
    return [...sentences].join('; ');
  }
}

/** Truncate a key from the caller and replace its control characters, so that a message can show it. */
const printable = (key: string): string => {
  const clean = key.toWellFormed().replace(/\p{Cc}/gu, '\uFFFD');
  return clean.length > maxKeyLength ? `${clean.slice(0, maxKeyLength).toWellFormed()}…` : clean;
};

export const maxDepth = 64;
export const tooDeep = `must not be nested deeper than ${maxDepth} levels`;
/** Entries of a list. More than any limit of a list, but few enough that reading them does not block the process for long. */
const maxEntries = 250_000;

/** The fault of a text that PostgreSQL or JSON cannot store (NUL, lone surrogates); undefined for a valid text. */
export function textFault(text: string): string | undefined {
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  if (text.includes('\0')) return 'must not contain NUL characters';
}

/** The fault of a number that JSON parsers would silently round; undefined for a valid number. */
export function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'must be a finite number';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
}

/** A fault of a part of a JSON value. The path of the value itself is empty. */
interface PlacedFault {
  readonly path: string;
  readonly message: string;
}

/** The first fault of a JSON value, including its keys. */
function valueFault(value: unknown, depth: number, path = ''): PlacedFault | undefined {
  if (typeof value === 'string') return placed(path, textFault(value));
  if (typeof value === 'number') return placed(path, numberFault(value));
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > maxDepth) return placed(path, tooDeep);

  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const fault = valueFault(value[at], depth + 1, `${path}[${at}]`);
      if (fault) return fault;
    }
    return undefined;
  }
  if (!isPlain(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const named = textFault(key);
    if (named) return placed(path, `has a key that ${named}`);
    const fault = valueFault(inner, depth + 1, path ? `${path}.${key}` : key);
    if (fault) return fault;
  }
}

const placed = (path: string, message: string | undefined): PlacedFault | undefined =>
  message === undefined ? undefined : { path, message };

/** Class instances are validated by their scalar. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
