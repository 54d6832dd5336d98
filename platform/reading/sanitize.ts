import sanitizeHtml from 'sanitize-html';
import { isCleanHtml } from './check.ts';
import { ATTRIBUTES, GLOBAL_ATTRIBUTES, MAX_DEPTH, OPENER, STYLES, TAGS, URL_ATTRIBUTES, URL_PATTERN } from './rules.ts';
import { ContentFault } from './task.ts';

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
