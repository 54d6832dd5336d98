import sanitizeHtml from 'sanitize-html';
import { isCleanHtml } from './html-check.ts';
import { ADDRESS, ADDRESSES, ATTRIBUTES, DEEPEST, EVERYWHERE, STYLES, TAGS } from './html-rules.ts';

/** Stricter than the library, which also accepts relative addresses: they would point into whatever site shows the text. */
const withoutForeignAddresses: sanitizeHtml.Transformer = (tagName, attribs) => ({
  tagName,
  attribs: Object.fromEntries(Object.entries(attribs).filter(([name, value]) => !ADDRESSES.has(name) || ADDRESS.test(value))),
});

const options: sanitizeHtml.IOptions = {
  allowedTags: [...TAGS],
  allowedAttributes: { ...ATTRIBUTES, '*': EVERYWHERE },
  allowedStyles: { '*': STYLES },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  transformTags: { a: withoutForeignAddresses, img: withoutForeignAddresses },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src,
  nestingLimit: DEEPEST,
};

/**
 * Remove every tag, attribute, style and address that the allow-list does not name. Clean HTML comes back byte for byte; other HTML
 * is parsed and written anew, which also closes open tags.
 */
export const cleanHtml = (html: string): string => (isCleanHtml(html) ? html : sanitizeHtml(html, options));
