/** The allow-list of stored HTML: formatting, lists, tables, links and images. */
export const TAGS: ReadonlySet<string> = new Set([
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'span', 'section', 'article', 'header', 'footer', 'aside', 'address'],
  ...['blockquote', 'pre', 'figure', 'figcaption', 'details', 'summary', 'hr', 'br', 'wbr', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
  ...['a', 'abbr', 'b', 'bdi', 'bdo', 'cite', 'code', 'del', 'dfn', 'em', 'i', 'ins', 'kbd', 'mark', 'q', 's', 'samp', 'small'],
  ...['strong', 'sub', 'sup', 'time', 'u', 'var', 'img'],
  ...['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
]);

/** No `id` and no `name`: both would become properties of the page's `document`. */
export const GLOBAL_ATTRIBUTES = ['class', 'dir', 'lang', 'style', 'title'];

const cell = ['align', 'colspan', 'headers', 'rowspan', 'scope', 'valign', 'width'];
export const ATTRIBUTES: Record<string, string[]> = {
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
export const OPENER = /(?:^|\s)opener(?=\s|$)/gi;

/** The attributes above that contain a URL. */
export const URL_ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'src']);
/** Absolute URLs of these schemes, absolute paths, and fragments. Browsers ignore control characters inside a scheme. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes them
export const URL_PATTERN = /^(?:(?:https?|mailto|tel):|\/(?![/\\])|#)[^\\\0-\x1f]*$/i;

const plainValue = /^[#\w.%, -]+$/;
/** Text styles only: positioned elements could cover the page, and URLs could track readers. */
export const STYLES: Record<string, RegExp[]> = {
  color: [plainValue, /^rgba?\([\d.%, ]+\)$/],
  'background-color': [plainValue, /^rgba?\([\d.%, ]+\)$/],
  'font-style': [plainValue],
  'font-weight': [plainValue],
  'text-align': [plainValue],
  'text-decoration': [plainValue],
  'vertical-align': [plainValue],
};

/** Maximum nesting of elements. */
export const MAX_DEPTH = 100;
