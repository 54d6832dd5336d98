import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { TextLine } from '../../../platform/reading/index.ts';
import { truncate } from '../../../schema/text.ts';
import { countTokens } from '../retrieval/token-count.ts';
import type { QuestionAndAnswer } from './entity.ts';
import { readsLikeInstruction } from './instruction-rules.ts';

/** A passage of a source, before it has a vector. */
export interface TextChunk {
  headings: string[];
  /** Title and headings. They are part of what is embedded and searched. */
  context: string;
  text: string;
  /** Tokens of context and text. */
  tokens: number;
  /** SHA-256 of context and text. */
  contentHash: string;
  /** Whether it reads like instructions to the agent. */
  suspicious: boolean;
  /** The page of a PDF on which it begins. */
  page?: number;
}

/** Tokens of a passage. Larger passages mix subjects, which blurs their vectors. */
const TARGET = 300;
/** Characters that are counted at once: the tokenizer takes milliseconds for 1,000 characters without a space. */
const PIECE = 1_000;
const MAX_HEADING = 200;

/** Split lines into passages that cross no heading and no page. A heading without text of its own is text of the heading above. */
export async function chunkLines(lines: readonly TextLine[], title = ''): Promise<TextChunk[]> {
  const chunks: TextChunk[] = [];
  let headings: string[] = [];
  let levels: number[] = [];
  /** The level of the last heading while it has no text. */
  let bare: number | undefined;
  let headingPage: number | undefined;
  let parts: string[] = [];
  /** The headings of the parts. */
  let path: string[] = [];
  /** The page of the parts. */
  let page: number | undefined;
  let tokens = 0;

  const flush = () => {
    const text = parts.join('\n').trim();
    parts = [];
    tokens = 0;
    if (text) chunks.push({ ...toChunk(path, title, text), ...(page !== undefined && { page }) });
  };
  const write = async (text: string, under: string[], on: number | undefined) => {
    if (on !== page || under.length !== path.length || under.some((each, at) => each !== path[at])) flush();
    [path, page] = [under, on];
    for (const piece of piecesOf(text)) {
      const count = countTokens(piece);
      if (tokens + count > TARGET) {
        flush();
        await yieldToEventLoop();
      }
      parts.push(piece);
      tokens += count;
    }
  };
  /** Ends the last heading. The title is the context of all passages. */
  const close = async (next: number) => {
    if (bare === undefined) flush();
    else if (bare >= next && headings.at(-1) !== title) await write(headings.at(-1)!, headings.slice(0, -1), headingPage);
  };
  for (const { level, text, page: on } of lines) {
    if (level === undefined) {
      bare = undefined;
      await write(text, headings, on);
      continue;
    }
    await close(level);
    const above = levels.filter((each) => each < level).length;
    levels = [...levels.slice(0, above), level];
    headings = [...headings.slice(0, above), truncate(text, MAX_HEADING)];
    // A longer one would lose its end.
    const isCut = text.length > MAX_HEADING;
    bare = isCut ? undefined : level;
    headingPage = on;
    if (isCut) await write(text, headings, on);
  }
  await close(0);
  flush();
  return chunks;
}

/** The text that is embedded and searched. */
export const fullText = ({ context, text }: Pick<TextChunk, 'context' | 'text'>) => (context ? `${context}\n${text}` : text);

function toChunk(headings: string[], title: string, text: string): TextChunk {
  const context = [title, ...headings.filter((each) => each !== title)].filter(Boolean).join(' › ');
  const hash = createHash('sha256')
    .update(JSON.stringify([context, text]))
    .digest('hex');
  const whole = fullText({ context, text });
  return { headings, context, text, tokens: countTokens(whole), contentHash: hash, suspicious: readsLikeInstruction(whole) };
}

/** The paragraph itself, or its sentences if it is long, or parts of them. */
function piecesOf(text: string): string[] {
  if (text.length <= PIECE) return [text];
  return text.split(/(?<=[.!?。！？]["')\]]?)\s+|\n/).flatMap((sentence) => {
    const parts: string[] = [];
    for (let rest = sentence; rest; ) {
      const end = rest.length <= PIECE ? rest.length : lastSpace(rest);
      parts.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
    return parts;
  });
}

function lastSpace(text: string): number {
  const space = text.lastIndexOf(' ', PIECE);
  if (space > PIECE / 2) return space;
  // Do not split a surrogate pair.
  return /[\uD800-\uDBFF]/.test(text[PIECE - 1]!) ? PIECE - 1 : PIECE;
}

/** The lines of a text of a user; lines that start with `#` are headings, unless it has none. Blank lines separate paragraphs. */
export function linesOfText(text: string, { hasHeadings = true } = {}): TextLine[] {
  const lines: TextLine[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) lines.push({ text: paragraph.join('\n') });
    paragraph = [];
  };
  for (const line of text.split(/\r\n?|\n/)) {
    const heading = hasHeadings ? /^(#{1,6})\s+(\S.*)$/.exec(line.trim()) : null;
    if (heading || line.trim() === '') flush();
    if (heading) lines.push({ level: heading[1]!.length, text: heading[2]!.trim() });
    else if (line.trim() !== '') paragraph.push(line.trimEnd());
  }
  flush();
  return lines;
}

/** Each question is the heading of its answer. */
export const linesOfQuestions = (pairs: readonly QuestionAndAnswer[]): TextLine[] =>
  pairs.flatMap(({ question, answer }) => [{ level: 1, text: question.trim() }, ...linesOfText(answer, { hasHeadings: false })]);
