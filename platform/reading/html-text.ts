import { DomHandler, Parser } from 'htmlparser2';
import { truncate } from '../../schema/text.ts';

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

/** One paragraph, or one heading of level 1 to 6. */
export interface TextLine {
  level?: number;
  text: string;
  /** The page of a PDF, from 1. */
  page?: number;
}

/** Starts a marked heading, followed by its level. No readable text contains it. */
const MARK = '\u0001';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is a control character
const MARKS = /\u0001\d/g;

/** The text with its headings as ordinary lines. */
const withoutMarks = (text: string): string => text.replace(MARKS, '');

/** Split text whose headings are marked. */
export function linesOf(marked: string): TextLine[] {
  return marked.split('\n').flatMap((line): TextLine[] => {
    const text = withoutMarks(line).trim();
    if (text === '') return [];
    return [line.startsWith(MARK) ? { level: Number(line[1]), text } : { text }];
  });
}

/** A node of a parsed page. */
export interface PageNode {
  type: string;
  name?: string;
  data?: string;
  attribs?: Record<string, string>;
  children?: PageNode[];
}

/** The limit of browsers. Bounds our recursion and the parser's stack, which it searches for each closing tag. */
const MAX_OPEN = 512;
/** Several times the size of the largest real pages. Bounds how long parsing takes. */
const MAX_ELEMENTS = 200_000;
/** How often a page may exceed the depth. The rest is not read. */
const MAX_PARTS = 64;

/** The tree of a page up to the tag that exceeds a limit. */
class BoundedTree extends DomHandler {
  /** Characters that were read, if a limit was exceeded. */
  end: number | undefined;
  /** Elements that the tree may still have. */
  left: number;
  private readonly reader: Parser = new Parser(this);

  constructor(html: string, left: number) {
    super();
    this.left = left;
    this.reader.end(html);
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    this.left -= 1;
    if (this.tagStack.length <= MAX_OPEN && this.left > 0) return;
    this.end = this.reader.endIndex + 1;
    this.reader.pause();
  }
}

export interface PageTree {
  root: PageNode;
  /** Whether the rest is left out, because the page has too many elements or nests too deeply. */
  isCut: boolean;
}

/** Parse HTML to a tree of bounded depth and size. A page that nests deeper goes on at its root, as if the open elements had ended. */
export function parseHtml(html: string): PageTree {
  let tree = new BoundedTree(html, MAX_ELEMENTS);
  const root = tree.root as PageNode;
  let rest = html;
  for (let part = 1; part < MAX_PARTS && tree.end !== undefined && tree.left > 0; part += 1) {
    rest = rest.slice(tree.end);
    tree = new BoundedTree(rest, tree.left);
    for (const child of tree.root.children) root.children!.push(child as PageNode);
  }
  return { root, isCut: tree.end !== undefined };
}

/** All nodes in document order. */
export function* nodes(root: PageNode): Generator<PageNode> {
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node;
    for (const child of node.children?.toReversed() ?? []) stack.push(child);
  }
}

const names = (text: string) => new Set(text.split(' '));

const silent = names(
  'head script style template noscript svg math nav aside iframe object embed canvas audio video button select input textarea',
);
const block = names(
  'address article blockquote body caption center dd details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hr html legend li main ol option p pre section summary table tbody tfoot thead ul',
);

/** Tags without readable content. */
const isDropped = (name: string, keepForms: boolean) => silent.has(name) || (name === 'form' && !keepForms);
/** Page headers and footers. A header inside the content may contain its title. */
const isFramed = (name: string) => name === 'header' || name === 'footer';
const startsContent = (name: string) => name === 'main' || name === 'article';
const isBlock = (name: string) => block.has(name);
