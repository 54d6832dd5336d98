import { countTokens } from '../retrieval/tokens.ts';

/** The tokenizer takes quadratic time for long runs of letters. */
const SLICE = 256;

/** Number of tokens of text of any length, in linear time. Each slice of 256 characters may add one. */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (let start = 0; start < text.length; start += SLICE) tokens += countTokens(text.slice(start, start + SLICE));
  return tokens;
}
