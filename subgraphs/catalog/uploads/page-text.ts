import { SOURCE_BUDGET } from '../../../platform/model/index.ts';
import { truncate } from '../../../schema/text.ts';
import type { FilePage } from './pages.ts';

/** Characters of the text of one page. A request has twice as many of all sources. */
const MAX_TEXT = SOURCE_BUDGET / 2;

/**
 * Writes a table as lines of `column: cell`, up to a limit. If any rows mention the names, other rows are omitted.
 * @param names in lower case
 */
export function pageText(page: FilePage, names: readonly string[]): string {
  if (page.kind === 'text') return truncate(page.text, MAX_TEXT);
  if (page.kind === 'image') return '';
  const mentioned = page.rows.filter((row) => row.some((cell) => mentions(cell.toLowerCase(), names)));
  let text = '';
  for (const row of mentioned.length > 0 ? mentioned : page.rows) {
    let separator = text === '' ? '' : '\n\n';
    for (const [at, cell] of row.entries()) {
      if (cell === '') continue;
      text += `${separator}${page.columns[at] ?? 'Column'}: ${cell}`;
      separator = '\n';
      // Within the loop: each row repeats the names of the columns, so the whole text may be much longer than the page.
      if (text.length > MAX_TEXT) return truncate(text, MAX_TEXT);
    }
  }
  return text;
}

const mentions = (text: string, names: readonly string[]) => names.some((name) => text.includes(name));
