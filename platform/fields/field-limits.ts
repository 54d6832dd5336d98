import type { Constraint } from '../../schema/directives.ts';
import { fail } from '../../schema/errors.ts';
import { isLonger, NOT_BLANK, ONE_LINE, textPatterns } from '../../schema/text.ts';

/** Limits of a field beyond its type. `format` is only documented; the service must validate it itself. */
export interface Limit extends Omit<Constraint, 'pattern'> {
  pattern?: RegExp;
  /** The field may be absent, but not null. */
  notNull?: true;
  /** Yields faults that no other rule can express; each sentence starts with `path`. */
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

/** The violations of a limit, one sentence each. A value of another type has none. */
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
    yield* limitFaults(limit, field, path ? `${path}.${name}` : name);
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
