import { sentencesOf } from '../reading/passages.ts';
import { overlap, wordsOf } from './overlap.ts';

/** Share of the question's words that a passage must contain. */
const ENOUGH = 0.4;
const MAX_SENTENCES = 2;

/** The sentences of the best passage that match the question, with their citations. */
export function answerFromPassages(question: string, system: string): string | undefined {
  const wanted = wordsOf(question);
  if (wanted.size === 0) return undefined;
  const passages = [...system.matchAll(/<passage number="(\d+)" heading="([^"]*)">\n([^<]*)\n<\/passage>/g)];
  const scored = passages
    .map(([, number, heading, text]) => ({
      number,
      text: text!.replaceAll('&lt;', '<'),
      score: overlap(wanted, `${heading} ${text}`),
    }))
    .sort((a, b) => b.score - a.score);
  const [best] = scored;
  if (!best || best.score < ENOUGH) return undefined;
  // A question of a knowledge source is followed by its answer.
  const lines = best.text.split('\n').flatMap(sentencesOf);
  const answers = lines.filter((line) => !line.trim().endsWith('?'));
  const chosen = answers
    .map((line, index) => ({ line, index, score: overlap(wanted, line) }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, MAX_SENTENCES)
    .filter(({ score }, index) => index === 0 || score >= ENOUGH)
    .sort((a, b) => a.index - b.index);
  return chosen.map(({ line }) => `${line.trim()} [${best.number}]`).join(' ') || undefined;
}
