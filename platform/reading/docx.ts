import { Parser } from 'htmlparser2';
import { escapeMarkup } from '../../schema/text.ts';
import { ContentFault } from './task.ts';
import { unpack } from './unzip.ts';

type Attributes = Record<string, string>;

const WHAT = 'the document';
/** The parser searches its open elements for each closing tag. Real documents have a depth of some dozens. */
const MAX_DEPTH = 256;
/** The elements that the reader of HTML takes. */
const MAX_ELEMENTS = 190_000;

/**
 * The body of a Word document as HTML: headings, paragraphs, tables and line breaks. Leaves out everything that a reader of the document does
 * not see: deleted and hidden text, and fields. It also leaves out the table of contents, headers and footers.
 */
export async function docxToHtml(bytes: Buffer): Promise<string> {
  const parts = await partsOf(bytes);
  const levelOf = headingLevels(parts.styles);
  const notes = new Map([...readNotes(parts.footnotes, 'footnote'), ...readNotes(parts.endnotes, 'endnote')]);
  return readBody(parts.document, levelOf, notes);
}

/** The parts of a document by the end of their content types. Their names may differ. */
const TYPES = { document: '.main+xml', styles: '.styles+xml', footnotes: '.footnotes+xml', endnotes: '.endnotes+xml' };
type Parts = Record<keyof typeof TYPES, string>;

async function partsOf(bytes: Buffer): Promise<Parts> {
  const [types] = await Array.fromAsync(unpack(bytes, WHAT, (name) => name === '[Content_Types].xml'));
  const names = new Map<string, keyof Parts>();
  walk(types?.content.toString('utf8') ?? '', {
    open(name, attributes) {
      const type = attributeOf(attributes, 'ContentType');
      const path = attributeOf(attributes, 'PartName').replace(/^\//, '');
      // A glossary has a body and styles of its own.
      if (name !== 'Override' || !/word/i.test(type) || path.includes('glossary')) return;
      const part = (Object.keys(TYPES) as (keyof Parts)[]).find((each) => type.endsWith(TYPES[each]));
      if (part) names.set(path, part);
    },
  });
  const parts: Parts = { document: '', styles: '', footnotes: '', endnotes: '' };
  for await (const { name, content } of unpack(bytes, WHAT, (each) => names.has(each)))
    parts[names.get(name)!] = content.toString('utf8');
  if (parts.document === '') throw new ContentFault('the file is no Word document');
  return parts;
}

interface Visitor {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** Visits the elements of XML by their names without prefix. */
function walk(xml: string, { open, text, close }: Visitor): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > MAX_DEPTH) throw new ContentFault(`${WHAT} is nested too deeply`);
        open?.(localName(name), attributes);
      },
      ontext: text,
      onclosetag(name) {
        depth -= 1;
        close?.(localName(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1);
const attributeOf = (attributes: Attributes, key: string): string =>
  attributes[key] ?? Object.entries(attributes).find(([name]) => localName(name) === key)?.[1] ?? '';
const isOff = (attributes: Attributes) => /^(0|false|off)$/.test(attributeOf(attributes, 'val'));

/** The level of a paragraph: of a heading 1 to 6, of text 0, of an entry of a table of contents -1. */
type Level = number;

interface Style {
  name: string;
  base: string;
  outline: string;
}

/** The level of each style by its id. Word names the built-in styles in English in every language. */
function headingLevels(xml: string): (id: string) => Level {
  const styles = new Map<string, Style>();
  let style: Style | undefined;
  walk(xml, {
    open(name, attributes) {
      const value = attributeOf(attributes, 'val');
      if (name === 'style') {
        style = { name: '', base: '', outline: '' };
        styles.set(attributeOf(attributes, 'styleId'), style);
      } else if (style && name === 'name') style.name = value.toLowerCase();
      else if (style && name === 'basedOn') style.base = value;
      else if (style && name === 'outlineLvl') style.outline = value;
    },
    close(name) {
      if (name === 'style') style = undefined;
    },
  });
  return (id) => {
    let next = styles.get(id);
    // A style that is based on itself ends here.
    for (let count = 0; next && count < 16; count += 1) {
      const { name, outline, base } = next;
      if (/^toc \d$/.test(name)) return -1;
      if (outline !== '') return outlineLevel(outline);
      const [, heading] = /^heading (\d)$/.exec(name) ?? [];
      if (heading || name === 'title') return Math.min(Number(heading ?? 1), 6);
      next = styles.get(base);
    }
    return 0;
  };
}

/** Word counts from 0, and 9 is text. */
const outlineLevel = (outline: string): Level => (/^[0-8]$/.test(outline) ? Math.min(Number(outline) + 1, 6) : 0);

/** The texts of notes by their kind and id. */
function readNotes(xml: string, kind: 'footnote' | 'endnote'): Map<string, string> {
  const notes = new Map<string, string>();
  let [key, inText] = ['', false];
  walk(xml, {
    open(name, attributes) {
      if (name === kind) key = `${kind} ${attributeOf(attributes, 'id')}`;
      inText = name === 't';
    },
    text(text) {
      if (inText && key) notes.set(key, (notes.get(key) ?? '') + text);
    },
    close(name) {
      if (name === 'p' && notes.has(key)) notes.set(key, `${notes.get(key)} `);
      if (name === 't') inText = false;
    },
  });
  return notes;
}

/** Elements whose content is not part of the document as it is read: moved text, the earlier format, and a copy for old programs. */
const SKIPPED = new Set(['moveFrom', 'del', 'pPrChange', 'rPrChange', 'Fallback']);

function readBody(xml: string, levelOf: (id: string) => Level, notes: Map<string, string>): string {
  const html: string[] = [];
  /** The open paragraphs: a text box is within one of the page. */
  const paragraphs: { text: string; level: Level }[] = [];
  /** Whether the next row of each open table is its header. */
  const tables: { hasHeader: boolean }[] = [];
  /** The element that encloses each open cell. */
  let cell = 'td';
  let [skipped, elements] = [0, 0];
  let [inText, isHidden, inParagraphProperties] = [false, false, false];

  const put = (tag: string) => {
    elements += 1;
    if (elements > MAX_ELEMENTS) throw new ContentFault(`${WHAT} has too many paragraphs and cells`);
    html.push(tag);
  };
  const write = (markup: string) => {
    const open = paragraphs.at(-1);
    if (open && !isHidden) open.text += markup;
  };
  const starts: Record<string, (attributes: Attributes) => void> = {
    p: () => void paragraphs.push({ text: '', level: 0 }),
    pPr: () => {
      inParagraphProperties = true;
    },
    pStyle: (attributes) => setLevel(levelOf(attributeOf(attributes, 'val'))),
    outlineLvl: (attributes) => setLevel(outlineLevel(attributeOf(attributes, 'val'))),
    vanish: (attributes) => {
      isHidden = !inParagraphProperties && !isOff(attributes);
    },
    t: () => {
      inText = true;
    },
    tab: () => write(' '),
    br: () => write('<br>'),
    cr: () => write('<br>'),
    noBreakHyphen: () => write('-'),
    footnoteReference: (attributes) => writeNote(`footnote ${attributeOf(attributes, 'id')}`),
    endnoteReference: (attributes) => writeNote(`endnote ${attributeOf(attributes, 'id')}`),
    tbl: () => {
      tables.push({ hasHeader: false });
      put('<table>');
    },
    tblLook: (attributes) => {
      const isFirstRow =
        attributeOf(attributes, 'firstRow') === '1' || (Number.parseInt(attributeOf(attributes, 'val'), 16) & 0x20) > 0;
      const table = tables.at(-1);
      if (table) table.hasHeader = isFirstRow;
    },
    tr: () => {
      const table = tables.at(-1);
      cell = table?.hasHeader ? 'th' : 'td';
      if (table) table.hasHeader = false;
      put('<tr>');
    },
    tblHeader: (attributes) => {
      cell = isOff(attributes) ? 'td' : 'th';
    },
    tc: () => put(`<${cell}>`),
  };
  const ends: Record<string, () => void> = {
    p: () => {
      const { text, level } = paragraphs.pop()!;
      const tag = level > 0 && text.trim() !== '' ? `h${level}` : 'p';
      if (level >= 0) put(`<${tag}>${text}</${tag}>`);
    },
    pPr: () => {
      inParagraphProperties = false;
    },
    r: () => {
      isHidden = false;
    },
    t: () => {
      inText = false;
    },
    tbl: () => {
      tables.pop();
      html.push('</table>');
    },
    tr: () => void html.push('</tr>'),
    tc: () => void html.push(`</${cell}>`),
  };
  const setLevel = (level: Level) => {
    const open = paragraphs.at(-1);
    if (open && inParagraphProperties && open.level >= 0) open.level = level;
  };
  const writeNote = (key: string) => {
    const note = notes.get(key)?.trim();
    if (note) write(` (${escapeMarkup(note)})`);
    // Many references to a long note would exceed any memory.
    notes.delete(key);
  };
  walk(xml, {
    open(name, attributes) {
      if (SKIPPED.has(name)) skipped += 1;
      else if (skipped === 0 && Object.hasOwn(starts, name)) starts[name]!(attributes);
    },
    text(text) {
      if (inText && skipped === 0) write(escapeMarkup(text));
    },
    close(name) {
      if (SKIPPED.has(name)) skipped -= 1;
      else if (skipped === 0 && Object.hasOwn(ends, name)) ends[name]!();
    },
  });
  return html.join('');
}
