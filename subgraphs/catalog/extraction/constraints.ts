import { attributeLimits } from '../../../schema/scalar-schemas.ts';
import { isCalendarDay, isStorable } from '../../../schema/text.ts';
import type { AttributeValue, Constraints, Rule } from './attribute.ts';
import { convert, type DescribedRule } from './conversions.ts';
import { formats } from './formats.ts';

/** The fault of a value, as a sentence without a subject ("must be a number"), or null. The value null is always valid. */
export function checkValue(rule: Rule, value: unknown): string | null {
  if (value === null) return null;
  return checks[rule.type](value, rule);
}

export type Reading = { value: AttributeValue } | { fault: string };

/** Convert a value of a model to the type of its attribute, or return its fault. */
export function readValue(rule: DescribedRule, raw: unknown): Reading {
  const value = convert(rule, raw);
  if (value === null) return { value };
  const fault = checkValue(rule, value);
  return fault ? { fault } : { value: value as AttributeValue };
}

type Check = (value: unknown, rule: Rule) => string | null;

const checkText: Check = (value, { constraints }) => {
  if (typeof value !== 'string') return 'must be text';
  if (!isStorable(value)) return 'must not contain characters that cannot be stored';
  const { minLength, maxLength, format } = constraints;
  const fault = countFault('characters', [...value].length, minLength, maxLength) ?? checkCounts(value, constraints);
  return fault ?? (format && !formats[format].fits(value) ? formats[format].expected : null);
};

const splitWords = (value: string): string[] => value.replace(/<[^<>]*>/g, ' ').match(/\S+/g) ?? [];

const checkCounts = (value: string, { minWords, maxWords, minItems, maxItems, format }: Constraints) => {
  const { words = splitWords, entries } = (format && formats[format]) ?? {};
  const fault =
    minWords === undefined && maxWords === undefined ? null : countFault('words', words(value).length, minWords, maxWords);
  return fault ?? (entries ? countFault('entries', entries(value).length, minItems, maxItems) : null);
};

const checkLabel: Check = (value, { options }) => {
  if (typeof value !== 'string') return 'must be one of its options';
  if (options.length === 0) return checkText(value, { type: 'text', options, constraints: {} });
  return options.includes(value) ? null : `must be one of ${options.join(', ')}`;
};

const checks: Record<Rule['type'], Check> = {
  text: checkText,
  html: checkText,
  number(value, { constraints: { min, max } }) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
    if (min !== undefined && value < min) return `must be at least ${min}`;
    if (max !== undefined && value > max) return `must be at most ${max}`;
    return null;
  },
  date: (value) => (typeof value === 'string' && isCalendarDay(value) ? null : 'must be a date as YYYY-MM-DD'),
  boolean: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  select: checkLabel,
  multiselect(value, rule) {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length > attributeLimits.choices) return `must have at most ${attributeLimits.choices} entries`;
    if (new Set(value).size < value.length) return 'must not name anything twice';
    for (const each of value) {
      const fault = checkLabel(each, rule);
      if (fault) return fault;
    }
    return countFault('entries', value.length, rule.constraints.minItems, rule.constraints.maxItems);
  },
};

function countFault(unit: string, count: number, min = 0, max = Number.POSITIVE_INFINITY): string | null {
  if (count < min) return `must have at least ${min} ${unit} and has ${count}`;
  return count > max ? `must have at most ${max} ${unit} and has ${count}` : null;
}
