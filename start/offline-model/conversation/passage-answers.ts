import type { PromptMessage } from '../openai-protocol.ts';
import { sentencesOf } from '../reading/passages.ts';
import { meaningfulWords } from '../reading/synonyms.ts';

/** Share of the question's words that a passage must contain. */
const ENOUGH = 0.4;
const MAX_SENTENCES = 2;

/** The sentences of the best passage that match the question, with their citations. */
export function answerFromPassages(question: string, system: string): string | undefined {
  const wanted = meaningfulWords(question);
  if (wanted.size === 0) return undefined;
  const passages = [...system.matchAll(/<passage number="(\d+)" heading="([^"]*)"(?: suspicious="true")?>\n([^<]*)\n<\/passage>/g)];
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

/** Number of the wanted words in a text. */
export const shared = (wanted: ReadonlySet<string>, text: string) =>
  [...meaningfulWords(text)].filter((word) => wanted.has(word)).length;

/** Share of the wanted words in a text. */
const overlap = (wanted: ReadonlySet<string>, text: string) => shared(wanted, text) / wanted.size;

const NOTHING = 'I found nothing about this in the material I was given.';
/** Answer the last question with the sentences that share most words with it; rare words have more weight. */
export function answerFrom(messages: readonly PromptMessage[]): string {
  const questionIndex = messages.findLastIndex(({ role }) => role === 'user');
  const question = meaningfulWords(messages[questionIndex]?.text ?? '');
  const context = messages.filter(({ role }, index) => index !== questionIndex && role !== 'assistant');
  const sentences = [...new Set(context.flatMap(({ text }) => text.split('\n').flatMap(sentencesOf)))].filter(
    (each) => !each.endsWith('?'),
  );
  const words = sentences.map(meaningfulWords);

  const weight = (word: string) => Math.log(1 + sentences.length / (1 + words.filter((each) => each.has(word)).length));
  const scores = words.map((each) => [...question].reduce((sum, word) => sum + (each.has(word) ? weight(word) : 0), 0));
  const best = Math.max(0, ...scores);
  if (best === 0) return NOTHING;
  return scores
    .map((score, index) => ({ score, index }))
    .filter(({ score }) => score >= best / 2)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .sort((a, b) => a.index - b.index)
    .map(({ index }) => sentences[index])
    .join(' ');
}
