import type { EnumValue } from '../../../schema/enums.ts';
import { isBlank } from './choices.ts';
import { confidence, type Finder, type Finding, type RequestedAttribute } from './extraction-request.ts';
import type { Pair, Passages, Sentence } from './passages.ts';
import { labelsOf, matchLabel, plain } from './synonyms.ts';

const DESCRIPTIVE = /\b(?:description|summary|overview|introduction|tagline|copy|highlights)\b/;
export const findText: Finder = (attribute, passages) => {
  const beside = passages.pairs.flatMap(({ label, value, quote, source }) => {
    const match = matchLabel(label, attribute);
    return match === 0 || isBlank(value) ? [] : [{ value: value.trim().replace(/[.;]$/, ''), confidence: match, quote, source }];
  });
  const shaped = beside.filter(({ value }) => fits(value, attribute));
  if (shaped.length > 0) return shaped.slice(0, 1);
  if (isDescriptive(attribute)) return describe(attribute, passages);
  return labelsOf(attribute).includes('material') ? madeOf(attribute, passages) : [];
};

/** A paragraph of the sentences of a source, and a list of its `Label: value` lines. */
export const findHtml: Finder = (attribute, { pairs, sentences }) => {
  const source = longest(sentences);
  if (!isDescriptive(attribute) || source === undefined) return [];
  const prose = aboutIt(sentences, source).map(({ text }) => text);
  const lines = pairs.filter(
    (pair) =>
      pair.source === source &&
      !isBlank(pair.value) &&
      pair.value.length <= 80 &&
      /[:=\t|]/.test(pair.quote) &&
      !pair.quote.endsWith('.'),
  );
  const { maxLength = 4000 } = attribute.constraints;
  const paragraph = fill(prose.slice(0, 4), maxLength - 120);
  const items = lines.slice(0, 8).map(({ label, value }) => `<li>${escapeHtml(label.trim())}: ${escapeHtml(value.trim())}</li>`);
  const html = [paragraph && `<p>${escapeHtml(paragraph)}</p>`, items.length > 0 && `<ul>${items.join('')}</ul>`]
    .filter(Boolean)
    .join('');
  const quote = prose[0] ?? lines[0]?.quote;
  return html && quote && html.length <= maxLength ? [{ value: html, confidence: confidence.pattern, quote, source }] : [];
};

const isDescriptive = ({ name, property }: RequestedAttribute) => DESCRIPTIVE.test(`${plain(name)} ${plain(property)}`);

function describe(attribute: RequestedAttribute, { sentences }: Passages): Finding[] {
  const source = longest(sentences);
  const [first, ...rest] = aboutIt(sentences, source ?? null);
  if (!first || source === undefined) return [];
  const value = fill(
    [first, ...rest.slice(0, 1)].map(({ text }) => text),
    attribute.constraints.maxLength ?? 400,
  );
  return value ? [{ value, confidence: confidence.pattern, quote: first.text, source }] : [];
}

/** Matches phrases such as 'The housing is splash-proof' and 'a frame in black'. */
const NO_MATERIAL =
  /(?:proof|tight|resistant|able|ed)$|^(?:black|white|gr[ae]y|silver|red|orange|yellow|green|blue|beige|brown)\b[^a-z]*$/i;

/** Matches materials such as 'made of die-cast aluminium' and 'a housing of stainless steel', up to the end of the phrase. */
function madeOf(attribute: RequestedAttribute, { sentences }: Passages): Finding[] {
  const phrase =
    /\b(?:made (?:of|from|in|out of)|constructed from|built from|crafted from|sewn from|cut from|woven from|(?:body|housing|frame|shell|case|casing|top) (?:is|of|in)) (?:an? )?((?:(?!(?:and (?:is|has|it|comes|weighs))|that |which |with |so ).){3,80}?)(?=[.,;:(]|$| (?:with|that|which|so|for|and (?:is|has|it|comes|weighs|a|an|the))\b)/i;
  return sentences
    .flatMap(({ text, source }) => {
      const [, material] = phrase.exec(text) ?? [];
      return material && fits(material, attribute) && !NO_MATERIAL.test(material)
        ? [{ value: material.trim(), confidence: confidence.pattern, quote: text, source }]
        : [];
    })
    .slice(0, 1);
}

const fits = (text: string, { constraints: { minLength = 0, maxLength = 500 } }: RequestedAttribute) =>
  text.length >= minLength && text.length <= maxLength;

const aboutIt = (sentences: readonly Sentence[], source: string | null) =>
  sentences.filter((each) => each.source === source && each.prose && each.text.split(' ').length >= 5);

/** Uses the longest source as the description. */
function longest(sentences: readonly Sentence[]): string | undefined {
  const sizes = new Map<string, number>();
  for (const { source, text } of sentences) if (source) sizes.set(source, (sizes.get(source) ?? 0) + text.length);
  return [...sizes].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** As many whole sentences as fit. */
const fill = (sentences: readonly string[], room: number) =>
  sentences.reduce((text, each) => (text.length + each.length + 1 <= room ? `${text} ${each}`.trim() : text), '');

export const escapeHtml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/**
 * Composes texts with a required form from only the record's name and the words of the sources. A text that violates its
 * constraints is dropped, so short sources yield no text.
 */
type Compose = (name: string, passages: Passages, wanted: RequestedAttribute['constraints']) => string;

const composers: Record<EnumValue<'TextFormat'>, Compose> = {
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
function composeSection(
  name: string,
  { pairs, sentences }: Passages,
  { maxWords = 350 }: RequestedAttribute['constraints'],
): string {
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
