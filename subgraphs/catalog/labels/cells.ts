import { stripHtml } from 'string-strip-html';
import type { AttributeValues } from '../attributes/values.ts';
import type { Row } from './rows.ts';

/** What was submitted, to the letter; what is no text as JSON writes it. */
export function inputCell(row: Row, column: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : null;
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** HTML stays HTML in an HTML attribute and nowhere else; lists are joined, booleans are words, null is nothing. */
export function attributeCell(values: AttributeValues, slug: string): string {
  const { attributeType, value } = (Object.hasOwn(values, slug) && values[slug]) || { attributeType: 'text', value: null };
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(withoutTags).join(';');
  return attributeType === 'html' ? String(value) : withoutTags(String(value));
}

/** Only where there are tags: the stripping also touches spaces and characters that mean nothing in plain text. */
const withoutTags = (text: string) => (/<\/?[a-z][^>]*>/i.test(text) ? stripHtml(text).result : text);
