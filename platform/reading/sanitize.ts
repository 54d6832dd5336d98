import sanitizeHtml from 'sanitize-html';
import { ContentFault } from './task.ts';

/** The allow-list of stored HTML: formatting, lists, tables, links and images. */
const TAGS: ReadonlySet<string> = new Set([
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'span', 'section', 'article', 'header', 'footer', 'aside', 'address'],
  ...['blockquote', 'pre', 'figure', 'figcaption', 'details', 'summary', 'hr', 'br', 'wbr', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
  ...['a', 'abbr', 'b', 'bdi', 'bdo', 'cite', 'code', 'del', 'dfn', 'em', 'i', 'ins', 'kbd', 'mark', 'q', 's', 'samp', 'small'],
  ...['strong', 'sub', 'sup', 'time', 'u', 'var', 'img'],
  ...['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
]);

/** No `id` and no `name`: both would become properties of the page's `document`. */
const GLOBAL_ATTRIBUTES = ['class', 'dir', 'lang', 'style', 'title'];

const cell = ['align', 'colspan', 'headers', 'rowspan', 'scope', 'valign', 'width'];
const ATTRIBUTES: Record<string, string[]> = {
  a: ['href', 'hreflang', 'rel', 'target'],
  img: ['alt', 'height', 'loading', 'src', 'width'],
  ol: ['reversed', 'start', 'type'],
  li: ['value'],
  time: ['datetime'],
  table: ['border', 'cellpadding', 'cellspacing', 'width'],
  col: ['span', 'width'],
  colgroup: ['span'],
  th: cell,
  td: cell,
};

/** Values of `rel` that give the page of a link access to the page that shows it. */
const OPENER = /(?:^|\s)opener(?=\s|$)/gi;

/** The attributes above that contain a URL. */
const URL_ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'src']);
/** Absolute URLs of these schemes, absolute paths, and fragments. Browsers ignore control characters inside a scheme. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes them
const URL_PATTERN = /^(?:(?:https?|mailto|tel):|\/(?![/\\])|#)[^\\\0-\x1f]*$/i;

const plainValue = /^[#\w.%, -]+$/;
/** Text styles only: positioned elements could cover the page, and URLs could track readers. */
const STYLES: Record<string, RegExp[]> = {
  color: [plainValue, /^rgba?\([\d.%, ]+\)$/],
  'background-color': [plainValue, /^rgba?\([\d.%, ]+\)$/],
  'font-style': [plainValue],
  'font-weight': [plainValue],
  'text-align': [plainValue],
  'text-decoration': [plainValue],
  'vertical-align': [plainValue],
};

/** Maximum nesting of elements. */
const MAX_DEPTH = 100;

/** Stricter than the library, which accepts relative URLs: they would resolve against the site that shows the text. */
const withoutForbiddenUrls: sanitizeHtml.Transformer = (tagName, attribs) => ({
  tagName,
  attribs: Object.fromEntries(
    Object.entries(attribs).filter(([name, value]) => !URL_ATTRIBUTES.has(name) || URL_PATTERN.test(value)),
  ),
});

const link: sanitizeHtml.Transformer = (tagName, attribs) => {
  const allowed = withoutForbiddenUrls(tagName, attribs);
  const rel = allowed.attribs.rel?.replace(OPENER, '').trim();
  return rel === undefined ? allowed : { tagName, attribs: { ...allowed.attribs, rel } };
};

/** An element outside the allow-list replaces images without a source. A filter of the library would copy the result for each of them. */
const image: sanitizeHtml.Transformer = (tagName, attribs) => {
  const allowed = withoutForbiddenUrls(tagName, attribs);
  return allowed.attribs.src ? allowed : { tagName: 'removed', attribs: {} };
};

/** The time of the parser grows with the elements that are open at each tag. Stored HTML has a depth of at most 100. */
const MAX_OPEN = 1_000;
const TOO_MANY = Symbol('too many open elements');

const options: sanitizeHtml.IOptions = {
  allowedTags: [...TAGS],
  allowedAttributes: { ...ATTRIBUTES, '*': GLOBAL_ATTRIBUTES },
  allowedStyles: { '*': STYLES },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  transformTags: { a: link, img: image },
  nestingLimit: MAX_DEPTH,
};

/** Returns null for HTML that has too many open elements. */
function sanitize(html: string): string | null {
  let open = 0;
  const onOpenTag = () => {
    open += 1;
    if (open > MAX_OPEN) throw TOO_MANY;
  };
  const onCloseTag = () => {
    open -= 1;
  };
  try {
    return sanitizeHtml(html, { ...options, onOpenTag, onCloseTag });
  } catch (error) {
    if (error === TOO_MANY) return null;
    throw error;
  }
}

/**
 * Remove all tags, attributes, styles and URLs that the allow-list does not contain. Clean HTML is returned unchanged; other HTML
 * is parsed and serialized again, which also closes open tags. Throws `ContentFault` for more than 1,000 open elements.
 */
export function sanitizeOrThrow(html: string): string {
  const cleaned = isCleanHtml(html) ? html : sanitize(html);
  if (cleaned === null) throw new ContentFault(`HTML must have at most ${MAX_OPEN} open elements`);
  return cleaned;
}

/** Like `sanitizeOrThrow`, but returns the text without its tags instead of throwing. For HTML that no caller can correct. */
export const sanitizeOrStrip = (html: string): string => (isCleanHtml(html) ? html : (sanitize(html) ?? stripped(html)));

const stripped = (html: string) =>
  html
    .replace(/<[^<>]*>/g, '')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Text, or one tag with quoted attribute values. Parsers disagree about other syntax, so it counts as unclean. */
const TOKEN = /[^<]+|<(?![a-z/!?])|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+=(?:"[^"<>]*"|'[^'<>]*'))*)\s*\/?>/iy;
const ATTRIBUTE = /\s+([a-z-]+)=(?:"([^"]*)"|'([^']*)')/giy;

const VOID = new Set(['br', 'col', 'hr', 'img', 'wbr']);
/** Elements with an optional end tag. */
const OPTIONAL_END = new Set(['p', 'li', 'dt', 'dd', 'td', 'th', 'tr', 'thead', 'tbody', 'tfoot', 'colgroup', 'caption']);

/** Whether HTML contains only allowed elements, properly nested, in syntax that all parsers read alike. */
export function isCleanHtml(html: string): boolean {
  const open: string[] = [];
  for (let at = 0; at < html.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const [token, closing, written, attributes = ''] = TOKEN.exec(html) ?? [];
    if (token === undefined) return false;
    if (written === undefined) continue;
    const name = written.toLowerCase();
    if (!TAGS.has(name) || open.length > MAX_DEPTH) return false;
    if (closing) {
      if (attributes !== '' || !close(open, name)) return false;
    } else {
      if (!hasCleanAttributes(name, attributes)) return false;
      if (!VOID.has(name)) open.push(name);
    }
  }
  return open.every((name) => OPTIONAL_END.has(name));
}

function close(open: string[], name: string): boolean {
  const at = open.lastIndexOf(name);
  return at >= 0 && open.splice(at).every((each, index) => index === 0 || OPTIONAL_END.has(each));
}

function hasCleanAttributes(tag: string, written: string): boolean {
  const names = new Set<string>();
  for (const [, attribute = '', double, single] of written.matchAll(ATTRIBUTE)) {
    const [name, value] = [attribute.toLowerCase(), double ?? single ?? ''];
    if (names.has(name) || !(GLOBAL_ATTRIBUTES.includes(name) || ATTRIBUTES[tag]?.includes(name))) return false;
    if (URL_ATTRIBUTES.has(name) && !URL_PATTERN.test(value)) return false;
    if (name === 'rel' && (value.includes('&') || value.search(OPENER) >= 0)) return false;
    if (name === 'style' && !hasCleanStyles(value)) return false;
    names.add(name);
  }
  return true;
}

const hasCleanStyles = (value: string) =>
  value
    .split(';')
    .filter((each) => each.trim() !== '')
    .every((declaration) => {
      const [property = '', setting = '', ...more] = declaration.split(':').map((part) => part.trim());
      return more.length === 0 && Object.hasOwn(STYLES, property) && STYLES[property]!.some((allowed) => allowed.test(setting));
    });
