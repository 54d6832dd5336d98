import { truncate } from '../../../schema/text.ts';
import { MARK, withoutMarks } from './lines.ts';
import { isBlock, isDropped, isFramed, startsContent } from './tags.ts';
import type { PageNode } from './tree.ts';

export interface ImageTag {
  src: string;
  alt: string;
}

interface Reading {
  images: ImageTag[];
  /** Remaining characters; bounds all intermediate strings, however deep the tags are nested. */
  remaining: number;
  keepForms: boolean;
  /** Mark headings, for `linesOf`. */
  marksHeadings: boolean;
  inContent: boolean;
  /** Column names of the current table. */
  columns: string[];
}

/** Extract the readable lines and the images of a page. */
export function readText(root: PageNode, limit: number, marksHeadings = false): { text: string; images: ImageTag[] } {
  const read = (keepForms: boolean) => {
    const reading: Reading = { images: [], remaining: limit, keepForms, marksHeadings, inContent: false, columns: [] };
    return { text: tidy(inside(root, reading)), images: reading.images };
  };
  const page = read(false);
  // Some servers wrap the whole page in one form.
  return page.text ? page : read(true);
}

/** Collapse white space to one space between words and one break between lines. Soft hyphens and other invisible breaks do not part words. */
export const tidy = (text: string) =>
  text
    .replace(/[\u00ad\u200b\u2060]/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[\n ]*/g, '\n')
    .trim();
const oneLine = (text: string) => tidy(text).replaceAll('\n', ', ');
const labeled = (label: string, value: string) => `${oneLine(label).replace(/ ?:$/, '')}: ${oneLine(value)}`;

function inside(node: PageNode, reading: Reading): string {
  const parts: string[] = [];
  let term: string | undefined;
  for (const child of node.children ?? []) {
    if (reading.remaining <= 0) break;
    const text = textOf(child, reading);
    if (child.name === 'dt') {
      if (term) parts.push(`\n${term}\n`);
      term = tidy(text);
    } else if (child.name === 'dd' && term !== undefined) {
      parts.push(`\n${labeled(term, text)}\n`);
      term = undefined;
    } else parts.push(text);
  }
  if (term) parts.push(`\n${term}\n`);
  return parts.join('');
}

function textOf(node: PageNode, reading: Reading): string {
  if (node.type === 'text') return take(node.data ?? '', reading);
  const name = node.name ?? '';
  if (isDropped(name, reading.keepForms) || (isFramed(name) && !reading.inContent)) return '';
  if (name === 'br') return '\n';
  if (name === 'img') reading.images.push(imageTag(node.attribs ?? {}));
  if (name === 'tr') return `\n${row(node, reading)}\n`;

  const { inContent, columns } = reading;
  if (startsContent(name)) reading.inContent = true;
  if (name === 'table') reading.columns = [];
  const text = inside(node, reading);
  Object.assign(reading, { inContent, columns });
  if (reading.marksHeadings && /^h[1-6]$/.test(name)) return `\n${MARK}${name[1]}${tidy(text).replaceAll('\n', ' ')}\n`;
  return isBlock(name) ? `\n${text}\n` : text;
}

function take(data: string, reading: Reading): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a page must not forge the mark of a heading
  const text = truncate(data.replace(/[\s\u0001]+/g, ' '), reading.remaining);
  reading.remaining -= text.length;
  return text;
}

/** Label the values of a table row: by the first cell in a row of two, by the column in a wider table. */
function row(node: PageNode, reading: Reading): string {
  const cells = (node.children ?? []).filter(({ name }) => name === 'td' || name === 'th');
  const marked = cells.map((cell) => tidy(inside(cell, reading)));
  // A cell as long as this is the layout of a page, not a value.
  if (marked.some((text) => text.length > 500) || marked[0]?.includes('\n')) return marked.join('\n');
  const texts = marked.map(withoutMarks);
  if (cells.length > 2 && cells.every(({ name }) => name === 'th')) {
    reading.columns = texts;
    return '';
  }
  if (reading.columns.length === texts.length) {
    return texts.flatMap((text, at) => (text ? [labeled(reading.columns[at]!, text)] : [])).join('; ');
  }
  const [label, value, ...more] = texts.filter(Boolean);
  if (label && value && more.length === 0) return labeled(label, value);
  return texts.filter(Boolean).map(oneLine).join(' | ');
}

/** The image that a browser would show: pages with lazy loading store its URL in other attributes. */
function imageTag({ src = '', alt = '', srcset = '', ...more }: Record<string, string>): ImageTag {
  const lazy = more['data-src'] ?? more['data-original'] ?? more['data-lazy-src'];
  const [first = ''] = (srcset || (more['data-srcset'] ?? '')).trim().split(/[\s,]/, 1);
  return { src: lazy || src || first, alt: tidy(alt) };
}
