import { lexer, type Token, type Tokens } from 'marked';

/** Milliseconds after which a text counts as too costly to parse again. */
const MAX_TIME = 400;
/** Characters up to which a text is never costly; a slow parse then means a busy device. */
const SHORT = 2_000;
/** Deeper elements are shown as text, so that nested markers cannot exhaust the stack. */
export const MAX_DEPTH = 16;
/** A text whose start took too long to parse. */
let costly: string | undefined;

/** The tokens of a Markdown text. A text that is too costly to parse is a single token. */
export function parseMarkdown(text: string): Token[] {
  const plain: Token[] = [{ type: 'text', raw: text, text }];
  if (costly && text.startsWith(costly)) return plain;
  const start = performance.now();
  try {
    return lexer(text, { gfm: true, breaks: true });
  } catch {
    // Very deep nesting exhausts the stack of the parser.
    costly = text;
    return plain;
  } finally {
    if (text.length > SHORT && performance.now() - start > MAX_TIME) costly = text;
  }
}

/** The text of a Markdown text without its markers, for screen readers. */
export const plainTextOf = (text: string): string => textOfTokens(parseMarkdown(text)).replace(/\s+/g, ' ').trim();

function textOfTokens(tokens: readonly Tokens.Generic[], depth = 0): string {
  return tokens
    .map(({ type, tokens: inner, items, text, raw }) => {
      if (depth < MAX_DEPTH && inner) return textOfTokens(inner, depth + 1) + (INLINE.has(type) ? '' : ' ');
      if (depth < MAX_DEPTH && items) return textOfTokens(items, depth + 1);
      if (type === 'table') return raw.replace(/[|:-]+/g, ' ');
      return typeof text === 'string' ? text : ' ';
    })
    .join('');
}

const INLINE = new Set(['strong', 'em', 'del', 'link', 'text']);
