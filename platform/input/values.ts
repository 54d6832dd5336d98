import { isCalendarDay } from '../../schema/calendar.ts';
import { fail } from '../../schema/errors.ts';
import { isLonger, truncate } from '../../schema/text.ts';
import type { FormField } from './field.ts';
import { EMAIL } from './limits.ts';

const MAX_LENGTH = 10_000;

const isText = (value: unknown): value is string => typeof value === 'string' && !isLonger(value, MAX_LENGTH);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const maxLengthOf = (type: FormField['type']): number => (type === 'email' ? EMAIL.maxLength : MAX_LENGTH);

/** Whether a value fits the type of its field. */
const fits: Record<FormField['type'], (value: unknown, options: readonly string[]) => boolean> = {
  text: isText,
  textarea: isText,
  email: (value) => isText(value) && !isLonger(value, EMAIL.maxLength) && EMAIL.pattern.test(value),
  phone: (value) => isText(value) && /^(?=\D*\d)[+\d(][\d\s()./-]{2,63}$/.test(value),
  date: (value) => isText(value) && isCalendarDay(value),
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  checkbox: (value) => typeof value === 'boolean',
  select: (value, options) => isText(value) && options.includes(value),
};

/**
 * Check submitted values against the fields of a form. Returns the values in the order of the fields, without empty ones. Throws
 * `INVALID_INPUT` with all faults.
 */
export function checkValues(fields: readonly FormField[], values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = new Set(fields.map(({ name }) => name));
  const faults = Object.keys(values).flatMap((name) =>
    known.has(name) ? [] : [`values.${truncate(name, 64)} is not a field of the form`],
  );
  const checked: [string, unknown][] = [];
  for (const { name, type, required, options } of fields) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (isEmpty(value)) {
      if (required) faults.push(`values.${name} is required`);
    } else if (fits[type](value, options)) checked.push([name, value]);
    else if (typeof value === 'string' && isLonger(value, maxLengthOf(type)))
      faults.push(`values.${name} must be at most ${maxLengthOf(type)} characters`);
    else faults.push(`values.${name} must be a valid ${type}`);
  }
  if (faults.length > 0) throw fail('INVALID_INPUT', faults.slice(0, 5).join('; '));
  return Object.fromEntries(checked);
}
