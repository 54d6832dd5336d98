import sanitizeHtml from 'sanitize-html';
import { isCleanHtml } from './html-check.ts';
import { ATTRIBUTES, GLOBAL_ATTRIBUTES, MAX_DEPTH, STYLES, TAGS, URL_ATTRIBUTES, URL_PATTERN } from './html-rules.ts';

/** Stricter than the library, which accepts relative URLs: they would resolve against the site that shows the text. */
const withoutForbiddenUrls: sanitizeHtml.Transformer = (tagName, attribs) => ({
  tagName,
  attribs: Object.fromEntries(
    Object.entries(attribs).filter(([name, value]) => !URL_ATTRIBUTES.has(name) || URL_PATTERN.test(value)),
  ),
});

const options: sanitizeHtml.IOptions = {
  allowedTags: [...TAGS],
  allowedAttributes: { ...ATTRIBUTES, '*': GLOBAL_ATTRIBUTES },
  allowedStyles: { '*': STYLES },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  transformTags: { a: withoutForbiddenUrls, img: withoutForbiddenUrls },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src,
  nestingLimit: MAX_DEPTH,
};

/**
 * Remove all tags, attributes, styles and URLs that the allow-list does not contain. Clean HTML is returned unchanged; other HTML
 * is parsed and serialized again, which also closes open tags.
 */
export const cleanHtml = (html: string): string => (isCleanHtml(html) ? html : sanitizeHtml(html, options));
