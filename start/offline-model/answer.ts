import type { Message } from './protocol.ts';
import { sentencesOf } from './reading/passages.ts';
import { tokensOf } from './reading/words.ts';

const NOTHING = 'I found nothing about this in the material I was given.';
const COMMON = new Set(
  'a an and are be can do does for from has have how i in is it me of on or please tell that the this to was what when where which who why will with you your'.split(
    ' ',
  ),
);

/** Answer the last question with the sentences that share most words with it; rare words have more weight. */
export function answerFrom(messages: readonly Message[]): string {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const question = wordsOf(messages[asked]?.text ?? '');
  const context = messages.filter(({ role }, index) => index !== asked && role !== 'assistant');
  const sentences = [...new Set(context.flatMap(({ text }) => text.split('\n').flatMap(sentencesOf)))].filter(
    (each) => !each.endsWith('?'),
  );
  const words = sentences.map(wordsOf);

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

const wordsOf = (text: string) => new Set(tokensOf(text).filter((word) => !COMMON.has(word)));
