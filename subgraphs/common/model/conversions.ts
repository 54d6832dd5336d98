import { cleanHtml } from '../html.ts';
import type { AttributeRequest, Rule } from './attribute.ts';
import { dateFrom } from './dates.ts';
import { numberFrom } from './numbers.ts';
import { isPlaceholder, wantsPlaceholder } from './placeholders.ts';

/** A rule with the words of its attribute, as far as they are known. */
export type DescribedRule = Rule & Partial<Pick<AttributeRequest, 'name' | 'prompt' | 'categoryPrompt' | 'unit'>>;

/** Bring a value into the form of its attribute where that cannot change its meaning. Null means that nothing was found. */
export function convert(rule: DescribedRule, given: unknown): unknown {
  const value = typeof given === 'string' ? given.trim() : given;
  if (value === null || value === undefined || value === '' || isNothing(rule, value)) return null;
  const converted = conversions[rule.type](value, rule);
  return converted === '' ? null : converted;
}

function isNothing(rule: DescribedRule, value: unknown): boolean {
  if (typeof value !== 'string' || !isPlaceholder(value)) return false;
  return !isOption(rule, value) && !wantsPlaceholder(rule, value);
}

type Conversion = (value: unknown, rule: DescribedRule) => unknown;

const toText: Conversion = (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value);

/** The option that is written like this; in another case only if no second option is written alike. */
function toLabel(value: unknown, { options }: Rule): unknown {
  const label = toText(value, { type: 'select', options, constraints: {} });
  if (typeof label !== 'string') return label;
  const wanted = label.trim();
  if (options.includes(wanted)) return wanted;
  const [alike, another] = options.filter((each) => each.toLowerCase() === wanted.toLowerCase());
  return alike !== undefined && another === undefined ? alike : wanted;
}

const isOption = (rule: Rule, value: string) => rule.options.includes(toLabel(value, rule) as string);

/** Labels outside the options are dropped as long as one is left: they cannot be stored, and the others can. */
function toLabels(value: unknown, rule: DescribedRule): unknown {
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list)) return list;
  const labels = [...new Set(list.filter((each) => each !== null && !isNothing(rule, each)).map((each) => toLabel(each, rule)))];
  const known = rule.options.length > 0 ? labels.filter((each) => rule.options.includes(each as string)) : labels;
  if (known.length > 0) return known;
  return labels.length > 0 ? labels : null;
}

const conversions: Record<Rule['type'], Conversion> = {
  text: toText,
  html: (value) => (typeof value === 'string' ? cleanHtml(value).trim() : value),
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
