import type { TextLine } from './html-text.ts';
import { type Pdf, withPdf } from './open-pdf.ts';

/** A line of a page as it is printed. */
interface Printed {
  text: string;
  /** Height of the largest font. */
  size: number;
  /** Distance from the bottom of the page. */
  y: number;
  /** Where it ends, from the left of the page. */
  right: number;
}

const EMPTY: Printed = { text: '', size: 0, y: 0, right: 0 };
const [MAX_PAGES, MAX_HEADING] = [2_000, 200];
/** A heading is printed this much larger than the body. */
const HEADING = 1.15;
/** Distance between two lines, in heights of the first, from which on they belong to different paragraphs. */
const GAP = 1.7;
/** Share of the width of a page from which on a line is wrapped, and the next continues its sentence. */
const WRAPPED = 0.8;

/**
 * The paragraphs of a PDF with their pages. A PDF marks no headings: lines in a larger font than most of the text count as such. Lines that
 * most pages repeat, such as a header or the number of the page, are kept once.
 */
export async function readPdfLines(
  bytes: Buffer,
  maxCharacters: number,
  tooLong: () => Error,
): Promise<{ lines: TextLine[]; pages: number }> {
  const pages = await withPdf(bytes, MAX_PAGES, (pdf) => printedPages(pdf, maxCharacters, tooLong));
  const levelOf = levels(pages.flat());
  const isRepeated = repetitions(pages, (line) => levelOf(line) !== undefined);
  const lines: TextLine[] = [];
  for (const [index, printed] of pages.entries()) {
    let last: Printed | undefined;
    const width = printed.reduce((most, { right }) => Math.max(most, right), 0);
    for (const [at, each] of printed.entries()) {
      if (isRepeated(index, at)) continue;
      const level = levelOf(each);
      const open = lines.at(-1);
      const isNew = !last || last.y - each.y > GAP * Math.max(last.size, each.size) || each.y > last.y;
      const isSameHeading =
        last && level !== undefined && level === open?.level && open.text.length + each.text.length < MAX_HEADING;
      const isSameParagraph =
        level === undefined && open?.level === undefined && (last ? !isNew : open && continues(open.text, each.text));
      if (open && isSameHeading) open.text += ` ${each.text}`;
      else if (open && isSameParagraph) open.text = joined(open.text, each.text, !last || last.right >= width * WRAPPED);
      else lines.push({ text: each.text, page: index + 1, ...(level !== undefined && { level }) });
      last = each;
    }
  }
  return { lines, pages: pages.length };
}

async function printedPages(pdf: Pdf, maxCharacters: number, tooLong: () => Error): Promise<Printed[][]> {
  const pages: Printed[][] = [];
  let left = maxCharacters;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const printed: Printed[] = [];
    let line = EMPTY;
    let text: string[] = [];
    const close = () => {
      const whole = text.join('').replace(/\s+/g, ' ').trim();
      left -= whole.length;
      if (left < 0) throw tooLong();
      if (whole !== '') printed.push({ ...line, text: whole });
      [line, text] = [EMPTY, []];
    };
    for (const item of items) {
      if (!('str' in item)) continue;
      if (item.str.trim() !== '') {
        const [x, y] = item.transform.slice(4) as [number, number];
        if (line.size === 0) line = { ...line, y };
        line = { ...line, size: Math.max(line.size, item.height), right: Math.max(line.right, x + item.width) };
      }
      text.push(item.str);
      if (item.hasEOL) close();
    }
    close();
    pages.push(printed);
    page.cleanup();
  }
  return pages;
}

/** Levels of headings by the sizes of fonts, the largest first. */
function levels(all: readonly Printed[]): (line: Printed) => number | undefined {
  const characters = new Map<number, number>();
  const sizeOf = ({ size }: Printed) => Math.round(size * 2) / 2;
  for (const line of all) characters.set(sizeOf(line), (characters.get(sizeOf(line)) ?? 0) + line.text.length);
  const [body = 0] = [...characters].sort((a, b) => b[1] - a[1]).map(([size]) => size);
  const isHeading = (line: Printed) =>
    sizeOf(line) >= body * HEADING && line.text.length <= MAX_HEADING && /\p{L}/u.test(line.text);
  const sizes = [...new Set(all.filter(isHeading).map(sizeOf))].sort((a, b) => b - a);
  return (line) => (isHeading(line) ? Math.min(sizes.indexOf(sizeOf(line)) + 1, 6) : undefined);
}

/** Lines at the top and the bottom of a page that can be its header and footer. Shorter pages have none. */
const [EDGE, MIN_LINES] = [2, 4];
const [MIN_PAGES, SHARE] = [3, 0.4];

/**
 * Whether an earlier page has the same line at its edge, as many pages do. The number of the page can differ. Headings such as `Exercise 3` are
 * no repetitions: they are content.
 */
function repetitions(
  pages: readonly (readonly Printed[])[],
  isHeading: (line: Printed) => boolean,
): (page: number, at: number) => boolean {
  const seen = new Map<string, number[]>();
  const isEdge = (page: number, at: number) => {
    const { length } = pages[page]!;
    return length >= MIN_LINES && (at < EDGE || at >= length - EDGE);
  };
  const keysOf = (page: number, at: number): string[] => {
    const line = pages[page]![at]!;
    return isHeading(line) ? [line.text] : [line.text, ...numbered(line.text, page)];
  };
  for (const [page, lines] of pages.entries())
    for (const at of lines.keys())
      if (isEdge(page, at))
        for (const key of keysOf(page, at)) {
          const on = seen.get(key) ?? [];
          on.push(page);
          seen.set(key, on);
        }
  const isRepeated = (page: number) => (key: string) => {
    const on = seen.get(key)!;
    return on.length >= Math.max(MIN_PAGES, pages.length * SHARE) && on[0] !== page;
  };
  return (page, at) => isEdge(page, at) && keysOf(page, at).some(isRepeated(page));
}

/** The line without one of its first numbers, which is the number of the page if its distance from the page is always the same. */
const numbered = (text: string, page: number): string[] =>
  [...text.matchAll(/\d{1,5}/g)]
    .slice(0, 3)
    .map(({ 0: digits, index }) => `${text.slice(0, index)}\n${Number(digits) - page}\n${text.slice(index + digits.length)}`);

/** Joins two lines of a paragraph, and the parts of a hyphenated word. The break after a short line can be that of a table. */
function joined(text: string, next: string, isWrapped: boolean): string {
  const isHyphenated = /\p{L}-$/u.test(text) && /^\p{Ll}/u.test(next);
  return isHyphenated ? text.slice(0, -1) + next : `${text}${isWrapped ? ' ' : '\n'}${next}`;
}

/** Whether the first line of a page continues the last sentence of the page before. */
const continues = (text: string, next: string) => !/[.!?:;]["')\]]?$/.test(text) && /^\p{Ll}/u.test(next);
