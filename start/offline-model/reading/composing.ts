import type { Word } from '../../../schema/words.ts';
import type { Wanted } from '../extraction-request.ts';
import { confidence, type Finder } from './finding.ts';
import { isBlank } from './options.ts';
import type { Pair, Passages } from './passages.ts';
import { escapeHtml, findText } from './prose.ts';
import { plain } from './words.ts';

/**
 * Composes texts with a required form from only the record's name and the words of the sources. A text that violates its
 * constraints is dropped, so short sources yield no text.
 */
type Compose = (name: string, passages: Passages, wanted: Wanted['constraints']) => string;

const composers: Record<Word<'TextFormat'>, Compose> = {
  'title-case': (name) => name.replace(/(?<![\p{L}\p{N}'’])\p{Ll}/gu, (letter) => letter.toUpperCase()),
  lowercase: (name) => name.toLowerCase(),
  'kebab-case': (name, passages, { minWords = 1, maxWords = 10 }) => {
    const own: string[] = plain(name).match(/[a-z0-9]+/g) ?? [];
    const more = frequentWords(passages).filter((word) => /^[a-z0-9]+$/.test(word) && !own.includes(word));
    return [...own, ...more.slice(0, Math.max(0, minWords - own.length))].slice(0, maxWords).join('-');
  },
  keywords: (name, passages, { maxItems = 10 }) => {
    const first = name.toLowerCase().replaceAll(',', ' ').trim();
    return [...new Set([first, ...frequentWords(passages)])].slice(0, maxItems).join(', ');
  },
  'html-section': composeSection,
};

/** A labeled value in a source takes precedence, because a composed text is only a guess. */
export const compose: Finder = (attribute, passages) => {
  const { format } = attribute.constraints;
  const name = passages.pairs.find(({ label, source }) => label === 'name' && source === null)?.value;
  if (!format || !name) return [];
  const value = composers[format](name, passages, attribute.constraints);
  const stated = attribute.type === 'text' ? findText(attribute, passages) : [];
  return [...stated, ...(value ? [{ value, confidence: confidence.fuzzy, source: null, quote: name }] : [])];
};

const COMMON = new Set(
  'about also been from have into more most only other over that their them then they this what when with your'.split(' '),
);

/** Words of four or more letters, ordered by the number of sources. */
function frequentWords({ pairs, sentences }: Passages): string[] {
  const texts = [...pairs, ...sentences].map((each) => ({ source: each.source, text: 'text' in each ? each.text : each.value }));
  const sources = new Map<string, Set<string | null>>();
  for (const { source, text } of texts) {
    for (const word of plain(text).match(/(?<![\p{L}\p{N}])\p{L}{4,}(?![\p{L}\p{N}])/gu) ?? []) {
      if (!COMMON.has(word)) sources.set(word, (sources.get(word) ?? new Set()).add(source));
    }
  }
  return [...sources].sort(([, a], [, b]) => b.size - a.size).map(([word]) => word);
}

/** The name, the sentences of all sources, and a list of their `Label: value` lines. */
function composeSection(name: string, { pairs, sentences }: Passages, { maxWords = 350 }: Wanted['constraints']): string {
  const prose = [...new Set(sentences.filter((each) => each.prose && each.source).map(({ text }) => text))];
  const lines = [...new Set(pairs.filter(isLine).map(({ label, value }) => `${label.trim()}: ${value.trim()}`))].slice(0, 8);
  if (prose.length === 0 || lines.length === 0) return '';
  let room = maxWords - [name, ...lines].reduce((sum, line) => sum + wordsIn(line), 0);
  const kept = prose.filter((sentence) => {
    const fits = wordsIn(sentence) <= room;
    if (fits) room -= wordsIn(sentence);
    return fits;
  });
  const list = lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('');
  return `<div><h2>${escapeHtml(name)}</h2><p>${escapeHtml(kept.join(' '))}</p><ul>${list}</ul></div>`;
}

const isLine = ({ source, value, quote }: Pair) =>
  source !== null && !isBlank(value) && value.length <= 80 && quote.includes(':') && !quote.endsWith('.');
const wordsIn = (text: string) => text.split(/\s+/).length;
