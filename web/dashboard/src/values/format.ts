import type { Strings } from '../strings/en/index.ts';
import type { Formats } from '../strings/formats.ts';

export type ValueType = 'text' | 'html' | 'number' | 'date' | 'boolean' | 'select' | 'multiselect';
/** A value of an attribute as the graph sends it. */
export type Content = string | number | boolean | string[] | null | undefined;

/** A value as plain text. HTML stays text. */
export function formatValue(value: Content, type: ValueType, { values }: Strings, formats: Formats, unit?: string | null): string {
  if (value === null || value === undefined || value === '') return values.none;
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'boolean') return value ? values.yes : values.no;
  if (typeof value === 'number') return unit ? `${formats.value(value)} ${unit}` : formats.value(value);
  return type === 'date' && /^\d{4}-\d{2}-\d{2}/.test(value) ? formats.fullDay(value) : value;
}
