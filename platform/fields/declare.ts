import 'reflect-metadata';
import type { GraphQLScalarType } from 'graphql';
import { Arg, ArgsType, type ClassType, Directive, Field, getMetadataStorage, ID, InputType, ObjectType } from 'type-graphql';
import type { Constraint } from '../../schema/directives.ts';
import { fail } from '../../schema/errors.ts';
import type { EnumType } from '../../schema/scalars.ts';
import { isLonger, NOT_BLANK, ONE_LINE, textPatterns } from '../../schema/text.ts';

interface FieldOptions extends Limit {
  description?: string;
  nullable?: boolean;
  /** The field is nullable, and null for objects without the property. */
  optional?: boolean;
  defaultValue?: unknown;
  /** The length of a list that cost analysis assumes: its maximum if it grows with the data, a generous one for settings. */
  assumedSize?: number;
}

/** A field of a type of the graph. `T` is the TypeScript type of its values without null; `O` are its options. */
interface Declared<T, O> {
  type: object;
  isList: boolean;
  options: O & FieldOptions;
  /** Narrow the TypeScript type, for example of a scalar. A type with undefined makes the field optional. */
  as<U>(): Declared<U, O>;
  /** Only for inference. */
  values?: T[];
}

type Fields = Record<string, Declared<unknown, FieldOptions>>;

/** The TypeScript type of a type of the graph. */
export type ValueOf<G> = G extends StringConstructor
  ? string
  : G extends BooleanConstructor
    ? boolean
    : G extends DateConstructor
      ? Date
      : G extends GraphQLScalarType<infer T, infer _>
        ? T
        : G extends ClassType<infer T>
          ? T
          : G extends () => infer Later
            ? ValueOf<Later>
            : G extends EnumType<infer T>
              ? T
              : never;

type HasUndefined<T> = unknown extends T ? false : undefined extends T ? true : false;
type Nullable<T, O> = HasUndefined<T> extends true ? T : O extends { nullable: true } | { optional: true } ? T | null : T;

/** The values of an object type. */
type Output<F> = {
  [K in keyof F as IsOptional<F[K]> extends true ? never : K]: OutputValue<F[K]>;
} & {
  [K in keyof F as IsOptional<F[K]> extends true ? K : never]?: OutputValue<F[K]>;
};
type OutputValue<D> = D extends Declared<infer T, infer O> ? Nullable<T, O> : never;
type IsOptional<D> = D extends Declared<infer T, infer O> ? (O extends { optional: true } ? true : HasUndefined<T>) : never;

/** The values of an input: a nullable field without a default may also be absent, and one that is `notNull` may only be absent. */
type Input<F> = {
  [K in keyof F as MayBeAbsent<F[K]> extends true ? never : K]: InputValue<F[K]>;
} & {
  [K in keyof F as MayBeAbsent<F[K]> extends true ? K : never]?: InputValue<F[K]>;
};
type InputValue<D> = D extends Declared<infer T, infer O> ? (O extends { notNull: true } ? T : Nullable<T, O>) : never;
type MayBeAbsent<D> =
  D extends Declared<infer _, infer O>
    ? O extends { nullable: true }
      ? O extends { defaultValue: unknown }
        ? false
        : true
      : IsOptional<D>
    : never;

/** A field of a type: a scalar, an enum, a class, or a function that returns a class which is declared further below. */
export function field<const G extends object>(type: G, description?: string): Declared<ValueOf<G>, object>;
export function field<const G extends object, const O extends FieldOptions>(type: G, options: O): Declared<ValueOf<G>, O>;
export function field(type: object, options: FieldOptions | string = {}): Declared<unknown, FieldOptions> {
  return declare(type, false, options);
}

/** A field with a list of values of a type. */
export function list<const G extends object>(type: G, description?: string): Declared<ValueOf<G>[], object>;
export function list<const G extends object, const O extends FieldOptions>(type: G, options: O): Declared<ValueOf<G>[], O>;
export function list(type: object, options: FieldOptions | string = {}): Declared<unknown, FieldOptions> {
  return declare(type, true, options);
}

function declare<T, O extends FieldOptions>(type: object, isList: boolean, given: O | string): Declared<T, O> {
  const options = typeof given === 'string' ? ({ description: given } as O) : given;
  return { type, isList, options, as: () => declare(type, isList, options) };
}

/** Declares a base class with these fields, which follow those of `parent`. */
interface Declare<V extends 'input' | 'output'> {
  <F extends Fields>(fields: F): ClassType<Values<F, V>>;
  <P extends object, F extends Fields>(parent: Parent<P>, fields: F): ClassType<Omit<P, keyof F> & Values<F, V>>;
}
type Values<F, V> = V extends 'output' ? Output<F> : Input<F>;
type Parent<P> = abstract new (...none: never[]) => P;
type Declaration = [Fields] | [Parent<object>, Fields];

/** The base class of an object type. */
export const output: Declare<'output'> = (...of: Declaration) => classOf([ObjectType('Fields')], ...of) as never;

/** The base class of an input type. */
export const input: Declare<'input'> = (...of: Declaration) => classOf([InputType('Fields')], ...of) as never;

/** The base class of the arguments of a field. */
export const args: Declare<'input'> = (...of: Declaration) => classOf([ArgsType()], ...of) as never;

/** The base class of an object type and of the input type with the same fields. */
export const shared: Declare<'input'> = (...of: Declaration) =>
  classOf([ObjectType('Fields'), InputType('Fields')], ...of) as never;

/** A parameter of a resolver method with an argument of the type ID. */
export const Id = (name = 'id') => Arg(name, () => ID);

function classOf(kinds: ClassDecorator[], ...of: Declaration): ClassType<object> {
  const [parent, fields] = of.length === 2 ? of : [undefined, of[0]];
  const Base = parent ? class extends (parent as ClassType<object>) {} : class {};
  for (const [name, { type, isList, options }] of Object.entries(fields)) {
    const { description, optional, nullable = optional, defaultValue, assumedSize, ...limit } = options;
    // Only a function of an arrow has no prototype.
    const typeOf = () => (typeof type === 'function' && !type.prototype ? type() : type);
    Field(() => (isList ? [typeOf()] : typeOf()), { description, nullable, defaultValue })(Base.prototype, name);
    if (Object.keys(limit).length > 0) Limited(limit)(Base.prototype, name);
    if (assumedSize !== undefined) Directive(`@listSize(assumedSize: ${assumedSize})`)(Base.prototype, name);
  }
  for (const declareType of kinds) declareType(Base);
  return Base;
}

interface Differences<T, K> {
  /** Fields that cannot change. */
  without?: readonly K[];
  /** Whether null is refused. By default each field accepts null. */
  notNull?: true;
  /** Descriptions that differ from those of a new record. */
  descriptions?: Partial<Record<keyof T & string, string>>;
}

/** The input type of changes to a record: the fields of the input type that creates it, all optional and without defaults. */
export function changeOf<T extends object, K extends keyof T & string = never>(
  creation: ClassType<T>,
  { without = [], notNull, descriptions = {} }: Differences<T, K> = {},
): ClassType<{ [F in Exclude<keyof T, K>]?: T[F] | null }> {
  @InputType()
  class Change {}
  const storage = getMetadataStorage();
  const limits = limitsOf(creation);
  const classes = [creation, Object.getPrototypeOf(creation)];
  for (const field of storage.fields.filter(({ target, name }) => classes.includes(target) && !without.includes(name as K))) {
    // Only reading the type tells whether it is a list.
    field.getType();
    const { name, typeOptions, description } = field;
    storage.collectClassFieldMetadata({
      ...field,
      target: Change,
      typeOptions: { ...typeOptions, nullable: true, defaultValue: undefined },
      description: descriptions[name as keyof T & string] ?? description,
    });
    const limit: Limit = { ...limits.get(name), ...(notNull && { notNull }) };
    if (Object.keys(limit).length > 0) Limited(limit)(Change.prototype, name);
  }
  return Change as ClassType<{ [F in Exclude<keyof T, K>]?: T[F] | null }>;
}

/** Limits of a field beyond its type. `format` is only documented; the service must validate it itself. */
export interface Limit extends Omit<Constraint, 'pattern'> {
  pattern?: RegExp;
  /** The field may be absent, but not null. */
  notNull?: true;
  /** Yields faults of a value of the right type that no other rule can express; each sentence starts with `path`. */
  faults?: (value: NonNullable<unknown>, path: string) => Iterable<string>;
}

/** Maximum faults that one error message lists. */
const MAX_FAULTS = 5;

/** A slug that a caller chooses. It is part of URLs. */
export const SLUG: Limit = { minLength: 1, maxLength: 64, pattern: /^[a-z0-9][a-z0-9-]*$/ };

/** A name that people choose and lists show in one line. */
export const NAME: Limit = { minLength: 1, maxLength: 255, pattern: ONE_LINE };

/** A bare e-mail address, without a name, angle brackets or other signs of a list: the domain contains a dot that neither starts nor ends it. */
export const EMAIL = {
  maxLength: 320,
  pattern: /^[^\s@<>,;:"()]+@[^\s@<>,;:"()][^\s@.<>,;:"()]*\.[^\s@<>,;:"()]+$/,
  format: 'email',
} as const satisfies Limit;

const limits = new Map<unknown, Map<string, Limit>>();

/** Declares the limits of a field of an input or arguments class. `checkLimits` enforces them; the schema and OpenAPI document them. */
export const Limited =
  (limit: Limit): PropertyDecorator =>
  (prototype, name) => {
    const fields = limits.get(prototype.constructor) ?? new Map<string, Limit>();
    limits.set(prototype.constructor, fields.set(String(name), limit));
  };

const none: ReadonlyMap<string, Limit> = new Map();
const inherited = new WeakMap<object, ReadonlyMap<string, Limit>>();

/** The limits declared on a class and its ancestors, by field. */
export function limitsOf(type: unknown): ReadonlyMap<string, Limit> {
  if (typeof type !== 'function' || type === Function.prototype) return none;
  const known = inherited.get(type);
  if (known) return known;
  const all = new Map([...limitsOf(Object.getPrototypeOf(type)), ...(limits.get(type) ?? [])]);
  inherited.set(type, all);
  return all;
}

type Rule = Exclude<keyof Limit, 'format' | 'faults'>;

const rules: { [K in Rule]-?: (value: unknown, bound: NonNullable<Limit[K]>) => string | false } = {
  minLength: (value, bound) =>
    typeof value === 'string' &&
    !isLonger(value, bound - 1) &&
    (bound === 1 ? 'must not be empty' : `must be at least ${bound} characters`),
  maxLength: (value, bound) => typeof value === 'string' && isLonger(value, bound) && `must be at most ${bound} characters`,
  min: (value, bound) => typeof value === 'number' && value < bound && `must be at least ${bound}`,
  max: (value, bound) => typeof value === 'number' && value > bound && `must be at most ${bound}`,
  minItems: (value, bound) =>
    Array.isArray(value) && value.length < bound && `must have at least ${bound} entr${bound === 1 ? 'y' : 'ies'}`,
  maxItems: (value, bound) => Array.isArray(value) && value.length > bound && `must have at most ${bound} entries`,
  pattern: (value, bound) => typeof value === 'string' && !bound.test(value) && mismatch(value, bound),
  notNull: (value) => value === null && 'must not be null',
};

function mismatch(value: string, { source }: RegExp): string {
  if (!Object.hasOwn(textPatterns, source)) return `must match ${source}`;
  return NOT_BLANK.test(value) ? 'must be one line without control characters' : 'must not be blank';
}

const listRules: readonly string[] = ['minItems', 'maxItems'];

interface Check {
  faultOf(value: unknown): string | false;
  /** Whether the rule applies to a list instead of its items. */
  ofList: boolean;
}

const checks = new WeakMap<Limit, readonly Check[]>();

/** The rules of a limit with their bounds. */
function checksOf(limit: Limit): readonly Check[] {
  const known = checks.get(limit);
  if (known) return known;
  const made = Object.entries(limit).flatMap(([rule, bound]) => {
    if (!Object.hasOwn(rules, rule)) return [];
    const check = rules[rule as Rule] as (value: unknown, bound: unknown) => string | false;
    return { faultOf: (value: unknown) => check(value, bound), ofList: listRules.includes(rule) };
  });
  checks.set(limit, made);
  return made;
}

/** The violations of the rules of a limit, one sentence each. A value of another type has none. */
export function* limitFaults(limit: Limit, value: unknown, path: string): Generator<string> {
  for (const { faultOf, ofList } of checksOf(limit)) {
    if (ofList || !Array.isArray(value)) {
      const fault = faultOf(value);
      if (fault) yield `${path} ${fault}`;
      continue;
    }
    for (const [index, each] of value.entries()) {
      const fault = faultOf(each);
      if (fault) yield `${path}[${index}] ${fault}`;
    }
  }
}

/** The same, and the violations of its own rule. The value has the type of the field. */
export function* allFaults(limit: Limit, value: unknown, path: string): Generator<string> {
  yield* limitFaults(limit, value, path);
  if (limit.faults && value !== null && value !== undefined) yield* limit.faults(value, path);
}

/** Whether a value has no violation of a limit. Makes no sentences and no paths, so it costs little for valid values. */
export function isWithin(limit: Limit, value: unknown): boolean {
  const isList = Array.isArray(value);
  for (const { faultOf, ofList } of checksOf(limit))
    if (ofList || !isList ? faultOf(value) : value.some((each) => faultOf(each))) return false;
  return !limit.faults || value === null || value === undefined || limit.faults(value, '')[Symbol.iterator]().next().done === true;
}

function* faultsOf(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) yield* faultsOf(each, `${path}[${index}]`);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const declared = limitsOf(value.constructor);
  for (const [name, limit] of declared) {
    const field = (value as Record<string, unknown>)[name];
    yield* allFaults(limit, field, path ? `${path}.${name}` : name);
  }
  // Only declared classes have limits, so skip plain objects of callers.
  if (declared.size === 0 && value.constructor === Object) return;
  for (const [name, each] of Object.entries(value))
    if (typeof each === 'object') yield* faultsOf(each, path ? `${path}.${name}` : name);
}

/** Throw `INVALID_INPUT` for an argument, an instance of its class, that violates a declared limit. */
export const checkLimits = (argument: unknown): void => refuseFaults(faultsOf(argument, ''));

/** Throw `INVALID_INPUT` with up to five of the faults, if there are any. */
export function refuseFaults(faults: Iterable<string>): void {
  const listed: string[] = [];
  for (const fault of faults) if (listed.push(fault) === MAX_FAULTS) break;
  if (listed.length > 0) throw fail('INVALID_INPUT', listed.join('; '));
}
