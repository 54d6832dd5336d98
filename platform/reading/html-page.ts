import { isObject, type JsonObject, parseExactly } from '../../schema/json.ts';
import { storable, truncate } from '../../schema/text.ts';
import { type ImageTag, nodes, type PageNode, type PageTree, parseHtml, readText, tidy } from './html-text.ts';

/** The readable content of a page. */
export interface PageContent {
  title: string;
  text: string;
  images: { url: string; alt: string }[];
}

/** Maximum characters of a text. */
export const MAX_TEXT = 200_000;
const MAX_IMAGES = 100;

/** The body of a response. */
interface PageBody {
  body: Uint8Array;
  contentType: string;
  url: string;
  isHtml: boolean;
  /** Mark headings, for `linesOf`. */
  marksHeadings: boolean;
}

/** Extract the readable content of a body. */
export function readBody({ body, contentType, url, isHtml, marksHeadings }: PageBody): PageContent {
  const source = decodeText(Buffer.from(body.buffer, body.byteOffset, body.byteLength), contentType);
  const { title, text, images } = isHtml ? readHtml(source, url, marksHeadings) : { title: '', text: source, images: [] };
  return { title, text: truncate(text, MAX_TEXT), images };
}

/** Extract title, text and images. Lines from the metadata come first. */
export function readHtml(
  html: string,
  url: string,
  marksHeadings = false,
  maxText = MAX_TEXT,
): PageContent & Pick<PageTree, 'isCut'> {
  const { root, isCut } = parseHtml(html);
  const head = readHead(root);
  const { text, images } = readText(root, maxText, marksHeadings);
  const stated = statedImages(head).map((src) => ({ src, alt: '' }));
  return {
    title: truncate(tidy(head.title).replaceAll('\n', ' '), 500),
    text: [...statedLines(head), text].filter(Boolean).join('\n'),
    isCut,
    images: absolute([...stated, ...images], URL.canParse(head.base, url) ? new URL(head.base, url).href : url),
  };
}

/** Resolve image URLs, without duplicates and URLs that cannot be fetched. */
function absolute(tags: ImageTag[], base: string): PageContent['images'] {
  const found = new Map<string, string>();
  for (const { src, alt } of tags) {
    if (found.size >= MAX_IMAGES) break;
    if (src.length > 2_000 || !src.trim() || !URL.canParse(src, base)) continue;
    const { protocol, href } = new URL(src, base);
    if (/^https?:$/.test(protocol)) found.set(href, found.get(href) || truncate(alt, 500));
  }
  return Array.from(found, ([url, alt]) => ({ url, alt }));
}

/** The machine-readable metadata of a page. */
interface Head {
  title: string;
  base: string;
  meta: { name: string; content: string }[];
  /** Parsed JSON-LD documents. */
  statements: unknown[];
}

/** Elements of the metadata that contain text. */
const TEXTUAL = new Set(['title', 'h1', 'script']);

/** Read the metadata in one traversal: a selector engine takes quadratic time on pages with many siblings. */
function readHead(root: PageNode): Head {
  const head: Head = { title: '', base: '', meta: [], statements: [] };
  let heading = '';
  /** The text within an element was read with it, so each text is read once, however deep the elements are nested. */
  const read = (element: PageNode): void => {
    const { name, attribs = {} } = element;
    if (name === 'title') head.title ||= innerText(element);
    if (name === 'h1') heading ||= innerText(element);
    if (name === 'script' && attribs.type === 'application/ld+json') head.statements.push(parseJson(innerText(element)));
  };
  const stack: { node: PageNode; within: readonly string[] }[] = [{ node: root, within: [] }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node } = next;
    let { within } = next;
    const { name = '', attribs = {} } = node;
    if (TEXTUAL.has(name) && !within.includes(name)) {
      read(node);
      within = [...within, name];
    }
    if (name === 'base') head.base ||= attribs.href ?? '';
    if (name === 'meta')
      head.meta.push({ name: (attribs.property ?? attribs.name ?? '').toLowerCase(), content: attribs.content ?? '' });
    for (const child of node.children?.toReversed() ?? []) if (child.type !== 'text') stack.push({ node: child, within });
  }
  return { ...head, title: head.title || heading };
}

function innerText(element: PageNode): string {
  const texts: string[] = [];
  for (const { type, data = '' } of nodes(element)) if (type === 'text') texts.push(data);
  return texts.join('');
}

function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** The metadata of a page as lines of text: descriptions of its head and products in JSON-LD. */
function statedLines({ meta, statements }: Head): string[] {
  const described = meta.flatMap(({ name, content }) => {
    const label = metaLabels[name];
    const text = tidy(content).replaceAll('\n', ' ');
    return label && text ? [`${label}: ${text}`] : [];
  });
  return [...new Set([...described, ...products(statements).flatMap((product) => linesOf(product, '', 0))])].slice(0, MAX_LINES);
}

/** Image URLs in the metadata of the page. */
function statedImages({ meta, statements }: Head): string[] {
  const shared = meta.flatMap(({ name, content }) => (name === 'og:image' ? [content] : []));
  const shown = products(statements).flatMap(({ image }) => image);
  const urls = shown.map((each) => (isObject(each) ? (each.url ?? each.contentUrl) : each));
  return [...shared, ...urls].filter((each): each is string => typeof each === 'string');
}

const MAX_LINES = 500;
const MAX_PRODUCTS = 20;
const productType = /(^|[/:])(Individual)?Product(Model|Group)?$/;

const metaLabels: Record<string, string | undefined> = Object.assign(Object.create(null), {
  description: 'Description',
  'og:title': 'Title',
  'og:description': 'Description',
  'og:site_name': 'Site',
  'og:brand': 'Brand',
  'product:brand': 'Brand',
  'product:price:amount': 'Price',
  'product:price:currency': 'Currency',
  'product:condition': 'Condition',
  'product:availability': 'Availability',
  'product:retailer_item_id': 'Item number',
});

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

function products(statements: unknown[]): JsonObject[] {
  return statements
    .flatMap(asList)
    .flatMap((item) => (isObject(item) && item['@graph'] ? asList(item['@graph']) : [item]))
    .flatMap((item) => (isObject(item) && item.mainEntity ? [item, item.mainEntity] : [item]))
    .filter(isObject)
    .filter((item) => asList(item['@type']).some((type) => typeof type === 'string' && productType.test(type)))
    .slice(0, MAX_PRODUCTS);
}

/** Properties that do not describe the product, such as URLs, ratings and reviews. */
const ignoredKeys =
  /^(@|image$|url$|review|aggregateRating$|shippingDetails$|hasMerchantReturnPolicy$|logo$|seller$|potentialAction$)/;

function linesOf(value: unknown, label: string, depth: number): string[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    const text = tidy(String(value)).replaceAll('\n', ' ');
    return text ? [`${label}: ${text}`] : [];
  }
  if (depth > 6) return [];
  if (Array.isArray(value)) return value.slice(0, MAX_LINES).flatMap((each) => linesOf(each, label, depth + 1));
  if (!isObject(value)) return [];
  const measured = quantity(value);
  if (measured) return linesOf(measured.text, measured.name || label, depth);
  return Object.entries(value)
    .filter(([key]) => !ignoredKeys.test(key))
    .flatMap(([key, each]) => linesOf(each, key === 'name' && label ? label : labelOf(key), depth + 1));
}

/** Reads `PropertyValue` and `QuantitativeValue`: a value with its unit and an optional name. */
function quantity({ value, name, unitText, unitCode }: JsonObject): { name: string; text: string } | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const unit = [unitText, unitCode].find((each) => typeof each === 'string');
  return { name: typeof name === 'string' ? tidy(name) : '', text: [value, unit].filter((each) => each !== undefined).join(' ') };
}

/** Characters of a label, which each value of a list repeats. */
const MAX_LABEL = 200;

/** `priceCurrency` → `Price currency`. */
function labelOf(key: string): string {
  const text = truncate(key, MAX_LABEL).replace(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const byMark: [mark: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** Decode text by byte order mark, else the `Content-Type`, else a `<meta>` tag at the top, else UTF-8. */
export function decodeText(bytes: Buffer, contentType: string): string {
  const marked = byMark.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const named = /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
  return storable(decoder(marked ?? named ?? declared(bytes)).decode(bytes));
}

function declared(bytes: Buffer): string | undefined {
  const top = bytes.toString('latin1', 0, 4096);
  const charset = /<meta\s[^<>]{0,200}?charset\s{0,9}=\s{0,9}["']?([^\s"'>;/]+)/i.exec(top)?.[1];
  // A tag that is readable as single bytes cannot be UTF-16.
  return charset && /^utf-?16/i.test(charset) ? 'utf-8' : charset;
}

function decoder(charset = 'utf-8') {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
