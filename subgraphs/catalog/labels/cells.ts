import { batchesOf, MAX_INLINE, plainText, readContent } from '../../../platform/reading/index.ts';
import { ContentFault } from '../../../platform/reading/task.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeValue, AttributeValues } from '../attributes/values.ts';
import type { Row } from './rows.ts';

/** The submitted text, unchanged; other values as JSON. */
export function inputCell(row: Row, column: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : null;
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Joins lists, writes booleans as `Yes` or `No` and null as an empty cell. Only HTML attributes keep their tags. */
function attributeCell({ attributeType, value }: AttributeValue, strip: (text: string) => string): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(strip).join(';');
  return attributeType === 'html' ? String(value) : strip(String(value));
}

/** The cells of rows. */
export async function attributeCells(
  owner: string,
  rows: readonly AttributeValues[],
  slugs: readonly string[],
): Promise<string[][]> {
  const tagged = new Set<string>();
  const collect = (text: string) => {
    if (TAG.test(text)) tagged.add(text);
    return text;
  };
  for (const values of rows) for (const slug of slugs) attributeCell(cellValue(values, slug), collect);
  const stripped = await stripTags(owner, [...tagged]);
  return rows.map((values) => slugs.map((slug) => attributeCell(cellValue(values, slug), (text) => stripped.get(text) ?? text)));
}

const EMPTY: AttributeValue = { attributeId: null, attributeName: '', attributeType: 'text', value: null };
const cellValue = (values: AttributeValues, slug: string) => (Object.hasOwn(values, slug) && values[slug]) || EMPTY;

/** Text without tags is left alone, because stripping also changes whitespace and special characters. */
const TAG = /<\/?[a-z][^<>]*>/i;
/** Characters of one task. */
const BATCH = 1_000_000;

/** The plain texts by their HTML. */
async function stripTags(owner: string, texts: readonly string[]): Promise<Map<string, string>> {
  const stripped = new Map<string, string>();
  for (const batch of batchesOf(texts, BATCH)) {
    const isSmall = batch.reduce((sum, { length }) => sum + length, 0) <= MAX_INLINE;
    const plain = isSmall ? batch.map(plainText) : await readContent(owner, 'plainTexts', batch).catch(refuse);
    for (const [at, text] of batch.entries()) stripped.set(text, plain[at]!);
  }
  return stripped;
}

function refuse(error: unknown): never {
  throw error instanceof ContentFault ? fail('RATE_LIMITED', error.message) : error;
}
