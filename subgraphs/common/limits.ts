import { fail } from '../../schema/errors.ts';

/** What a value must keep to beyond its type. Lengths count characters. */
export interface Limit {
  minLength?: number;
  maxLength?: number;
  min?: number;
  max?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: RegExp;
  /** The field may be absent, but not null. */
  notNull?: true;
  /** Faults that no other rule can express; each sentence begins with `path`. */
  faults?: (value: NonNullable<unknown>, path: string) => Iterable<string>;
}

/** How many faults one refusal names. */
const MOST_FAULTS = 5;

/** A slug that a caller chooses: it is part of addresses. */
export const SLUG: Limit = { minLength: 1, maxLength: 64, pattern: /^[a-z0-9][a-z0-9-]*$/ };

const limits = new Map<unknown, Map<string, Limit>>();

/** Declares a limit of a field of an input or arguments class; `checkLimits` enforces it and the documents show it. */
export const Limited =
  (limit: Limit): PropertyDecorator =>
  (prototype, name) => {
    const fields = limits.get(prototype.constructor) ?? new Map<string, Limit>();
    limits.set(prototype.constructor, fields.set(String(name), limit));
  };

/** The limits declared on a class and its ancestors, by field. */
export function limitsOf(type: unknown): Map<string, Limit> {
  if (typeof type !== 'function' || type === Function.prototype) return new Map();
  return new Map([...limitsOf(Object.getPrototypeOf(type)), ...(limits.get(type) ?? [])]);
}

const rules: { [K in keyof Omit<Limit, 'faults'>]-?: (value: unknown, bound: NonNullable<Limit[K]>) => string | false } = {
  minLength: (value, bound) =>
    typeof value === 'string' &&
    [...value].length < bound &&
    (bound === 1 ? 'must not be empty' : `must be at least ${bound} characters`),
  maxLength: (value, bound) => typeof value === 'string' && [...value].length > bound && `must be at most ${bound} characters`,
  min: (value, bound) => typeof value === 'number' && value < bound && `must be at least ${bound}`,
  max: (value, bound) => typeof value === 'number' && value > bound && `must be at most ${bound}`,
  minItems: (value, bound) =>
    Array.isArray(value) && value.length < bound && `must have at least ${bound} entr${bound === 1 ? 'y' : 'ies'}`,
  maxItems: (value, bound) => Array.isArray(value) && value.length > bound && `must have at most ${bound} entries`,
  pattern: (value, bound) =>
    typeof value === 'string' &&
    !bound.test(value) &&
    (bound.source === '\\S' ? 'must not be blank' : `must match ${bound.source}`),
  notNull: (value) => value === null && 'must not be null',
};

/** The same rules as the sentences of a description. */
export function describeLimit(limit: Limit): string {
  const { minLength, maxLength, min, max, minItems, maxItems, pattern, notNull } = limit;
  const range = (low: number | undefined, high: number | undefined, unit: string) =>
    low !== undefined && high !== undefined
      ? `${low} to ${high}${unit}.`
      : high !== undefined
        ? `At most ${high}${unit}.`
        : low !== undefined
          ? `At least ${low}${unit}.`
          : '';
  return [
    range(minLength, maxLength, ' characters'),
    range(min, max, ''),
    range(minItems, maxItems, ' entries'),
    pattern ? `Matches ${pattern.source}.` : '',
    notNull ? 'Not null.' : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Everything in which a value breaks a limit, one sentence each. A value of another type breaks none. */
export function* limitFaults({ faults, ...limit }: Limit, value: unknown, path: string): Generator<string> {
  for (const [rule, bound] of Object.entries(limit)) {
    const fault = rules[rule as keyof typeof rules](value, bound as never);
    if (fault) yield `${path} ${fault}`;
  }
  if (faults && value !== null && value !== undefined) yield* faults(value, path);
}

function* faultsOf(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) yield* faultsOf(each, `${path}[${index}]`);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const declared = limitsOf(value.constructor);
  for (const [name, limit] of declared)
    yield* limitFaults(limit, (value as Record<string, unknown>)[name], path ? `${path}.${name}` : name);
  // Only classes of ours have limits: maps of callers are not searched.
  if (declared.size === 0 && value.constructor === Object) return;
  for (const [name, each] of Object.entries(value))
    if (typeof each === 'object') yield* faultsOf(each, path ? `${path}.${name}` : name);
}

/** Refuse arguments that break a declared limit, naming up to five faults. Runs before every resolver. */
export const checkLimits = (argument: unknown): void => refuseFaults(faultsOf(argument, ''));

/** Throw `INVALID_INPUT` naming up to five of the faults, if there are any. */
export function refuseFaults(faults: Iterable<string>): void {
  const named: string[] = [];
  for (const fault of faults) if (named.push(fault) === MOST_FAULTS) break;
  if (named.length > 0) throw fail('INVALID_INPUT', named.join('; '));
}
