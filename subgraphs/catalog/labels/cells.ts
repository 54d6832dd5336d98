import { stripHtml } from 'string-strip-html';
import type { AttributeValues } from '../attributes/values.ts';
import type { Row } from './rows.ts';

/** The submitted text, unchanged; other values as JSON. */
export function inputCell(row: Row, column: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : null;
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Joins lists, writes booleans as `Yes` or `No` and null as an empty cell. Only HTML attributes keep their tags. */
export function attributeCell(values: AttributeValues, slug: string): string {
  const { attributeType, value } = (Object.hasOwn(values, slug) && values[slug]) || { attributeType: 'text', value: null };
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(withoutTags).join(';');
  return attributeType === 'html' ? String(value) : withoutTags(String(value));
}

/** Plain text is left alone, because stripping also changes whitespace and special characters. */
const withoutTags = (text: string) => (/<\/?[a-z][^<>]*>/i.test(text) ? stripHtml(withoutComments(text)).result : text);

/** The library takes quadratic time for comments and CDATA sections without an end. */
const withoutComments = (text: string) => text.replace(/<!--[\s\S]*?(?:-->|$)/g, ' ').replaceAll('<![', ' ');
