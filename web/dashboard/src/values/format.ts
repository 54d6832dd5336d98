import type { Strings } from '../strings/en/index.ts';
import type { Formats } from '../strings/formats.ts';

export type ValueType = 'text' | 'html' | 'number' | 'date' | 'boolean' | 'select' | 'multiselect';
/** A value of an attribute as the graph sends it. */
export type Content = string | number | boolean | string[] | null | undefined;

type Words = Pick<Strings, 'values'> & { formats: Formats };

/** The parts of an attribute that the text of its values depends on. */
interface Meaning {
  unit?: string | null;
  /** Labels of options in the language of the reader. */
  labels?: ReadonlyMap<string, string>;
}

export const isEmpty = (value: Content): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** A value as plain text. HTML stays text. */
export function formatValue(value: Content, type: ValueType, { values, formats }: Words, meaning?: Meaning): string {
  if (value === null || value === undefined || value === '') return values.none;
  const labelOf = (option: string) => meaning?.labels?.get(option) ?? option;
  if (Array.isArray(value)) return value.map(labelOf).join(', ');
  if (typeof value === 'boolean') return value ? values.yes : values.no;
  if (typeof value === 'number') return meaning?.unit ? `${formats.value(value)} ${meaning.unit}` : formats.value(value);
  if (type === 'select') return labelOf(value);
  return type === 'date' && /^\d{4}-\d{2}-\d{2}/.test(value) ? formats.fullDay(value) : value;
}
