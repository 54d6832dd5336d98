import { truncate } from '../../schema/text.ts';
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
  /** Open elements whose text is tidied as a whole. */
  depth: number;
}

/** Nested headings, terms and rows whose text is tidied once more. Deeper ones are blocks, because the time would grow with each level. */
const MAX_DEPTH = 16;

/** Extract the readable lines and the images of a page. */
export function readText(root: PageNode, limit: number, marksHeadings = false): { text: string; images: ImageTag[] } {
  const read = (keepForms: boolean) => {
    const reading: Reading = { images: [], remaining: limit, keepForms, marksHeadings, inContent: false, columns: [], depth: 0 };
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

/** The text of the children. */
function inside(node: PageNode, reading: Reading): string {
  const out: string[] = [];
  reading.depth += 1;
  writeChildren(node, reading, out);
  reading.depth -= 1;
  return out.join('');
}

function writeChildren(node: PageNode, reading: Reading, out: string[]): void {
  let term: string | undefined;
  for (const child of node.children ?? []) {
    if (reading.remaining <= 0) break;
    const isShallow = reading.depth <= MAX_DEPTH;
    if (child.name === 'dt' && isShallow) {
      if (term) out.push('\n', term, '\n');
      term = tidy(inside(child, reading));
    } else if (child.name === 'dd' && term !== undefined && isShallow) {
      out.push('\n', labeled(term, inside(child, reading)), '\n');
      term = undefined;
    } else write(child, reading, out);
  }
  if (term) out.push('\n', term, '\n');
}

function write(node: PageNode, reading: Reading, out: string[]): void {
  if (node.type === 'text') {
    out.push(take(node.data ?? '', reading));
    return;
  }
  const { name = '' } = node;
  if (isDropped(name, reading.keepForms) || (isFramed(name) && !reading.inContent)) return;
  if (name === 'br') out.push('\n');
  if (name === 'img') reading.images.push(imageTag(node.attribs ?? {}));
  const isShallow = reading.depth <= MAX_DEPTH;
  if (name === 'tr' && isShallow) {
    out.push('\n', row(node, reading), '\n');
    return;
  }
  const { inContent, columns } = reading;
  if (startsContent(name)) reading.inContent = true;
  if (name === 'table') reading.columns = [];
  if (reading.marksHeadings && isShallow && /^h[1-6]$/.test(name)) {
    out.push(`\n${MARK}${name[1]}${tidy(inside(node, reading)).replaceAll('\n', ' ')}\n`);
  } else {
    const isOwnLine = isBlock(name) || name === 'tr';
    if (isOwnLine) out.push('\n');
    writeChildren(node, reading, out);
    if (isOwnLine) out.push('\n');
  }
  Object.assign(reading, { inContent, columns });
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
    const { columns } = reading;
    return texts
      .flatMap((text, at) => {
        if (!text || reading.remaining <= 0) return [];
        // Each row repeats the names of the columns.
        reading.remaining -= columns[at]!.length;
        return [labeled(columns[at]!, text)];
      })
      .join('; ');
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
