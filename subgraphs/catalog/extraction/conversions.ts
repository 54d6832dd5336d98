import { sanitizeOrStrip } from '../../../platform/reading/index.ts';
import { attributeLimits } from '../../../schema/scalar-schemas.ts';
import type { AttributeRequest, Rule } from './attribute.ts';
import { dateFrom } from './dates.ts';
import { numberFrom } from './numbers.ts';
import { isPlaceholder, wantsPlaceholder } from './placeholders.ts';

/** A rule with the texts of its attribute, where known. */
export type DescribedRule = Rule & Partial<Pick<AttributeRequest, 'name' | 'prompt' | 'categoryPrompt' | 'unit'>>;

/** Convert a value to the type of its attribute, if that preserves its meaning. Null means that no value was found. */
export function convert(rule: DescribedRule, raw: unknown): unknown {
  const value = typeof raw === 'string' ? raw.trim() : raw;
  if (value === null || value === undefined || value === '' || isEmpty(rule, value)) return null;
  const converted = conversions[rule.type](value, rule);
  return converted === '' ? null : converted;
}

function isEmpty(rule: DescribedRule, value: unknown): boolean {
  if (typeof value !== 'string' || !isPlaceholder(value)) return false;
  return !isOption(rule, value) && !wantsPlaceholder(rule, value);
}

type Conversion = (value: unknown, rule: DescribedRule) => unknown;

const toText = (value: unknown) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value);

/** Find the option with this spelling, or the only option that differs in case. */
function toLabel(value: unknown, { options }: Rule): unknown {
  const label = toText(value);
  if (typeof label !== 'string') return label;
  const text = label.trim();
  if (options.includes(text)) return text;
  const [match, ambiguous] = options.filter((each) => each.toLowerCase() === text.toLowerCase());
  return match !== undefined && ambiguous === undefined ? match : text;
}

const isOption = (rule: Rule, value: string) => rule.options.includes(toLabel(value, rule) as string);

/** Drop labels outside the options, as long as one valid label remains. */
function toLabels(value: unknown, rule: DescribedRule): unknown {
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || list.length > attributeLimits.choices) return list;
  const labels = [...new Set(list.filter((each) => each !== null && !isEmpty(rule, each)).map((each) => toLabel(each, rule)))];
  const valid = rule.options.length > 0 ? labels.filter((each) => rule.options.includes(each as string)) : labels;
  if (valid.length > 0) return valid;
  return labels.length > 0 ? labels : null;
}

const conversions: Record<Rule['type'], Conversion> = {
  text: toText,
  html: (value) => (typeof value === 'string' ? sanitizeOrStrip(value).trim() : value),
  number: (value, { unit }) => (typeof value === 'string' ? (numberFrom(value, unit) ?? value) : value),
  date: (value) => (typeof value === 'string' ? (dateFrom(value) ?? value) : value),
  boolean(value) {
    if (typeof value !== 'string') return value;
    if (/^(yes|true)$/i.test(value)) return true;
    return /^(no|false)$/i.test(value) ? false : value;
  },
  select: toLabel,
  multiselect: toLabels,
};
