import type { Line } from '../../../platform/reading/index.ts';
import type { QuestionAndAnswer } from './entity.ts';

/** The lines of a text of a user; lines that start with `#` are headings, unless it has none. Blank lines separate paragraphs. */
export function linesOfText(text: string, { hasHeadings = true } = {}): Line[] {
  const lines: Line[] = [];
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
export const linesOfQuestions = (pairs: readonly QuestionAndAnswer[]): Line[] =>
  pairs.flatMap(({ question, answer }) => [{ level: 1, text: question.trim() }, ...linesOfText(answer, { hasHeadings: false })]);
