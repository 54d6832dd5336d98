import { confidence, type Finder, type Finding, type RequestedAttribute } from './extraction-request.ts';
import type { Pair } from './passages.ts';
import { isDenied, labelsOf, matchLabel, meaningsOf, placesOf, plain } from './synonyms.ts';

/** One option: the labeled one, or the only one that the text names. */
export const findOption: Finder = (attribute, passages) => {
  const { pairs, sentences } = passages;
  const phrases = phrasesOf(attribute);
  const beside = pairs.flatMap(({ label, value, quote, source }) => {
    const match = matchLabel(label, attribute);
    if (match === 0) return [];
    if (phrases.length === 0) return isBlank(value) ? [] : [{ value: value.trim(), confidence: match, quote, source }];
    return optionsIn(value, phrases).map((option) => ({ value: option, confidence: match, quote, source }));
  });
  const named = sentences.flatMap(({ text, source }) => {
    const cued = isCued(text, attribute);
    return optionsIn(text, phrases).map((option) => ({
      value: option,
      confidence: cued ? confidence.pattern : confidence.fuzzy,
      quote: text,
      source,
    }));
  });
  return [...beside, ...named];
};

/** Every option in the text. Prose counts only if it mentions the attribute, or if the option is an abbreviation. */
export const findOptions: Finder = (attribute, { pairs, sentences }) => {
  const phrases = phrasesOf(attribute);
  const list = (value: string) => (phrases.length > 0 ? optionsIn(value, phrases) : isBlank(value) ? [] : partsOf(value));
  const beside = pairs.flatMap(({ label, value, quote, source }) => ({
    values: list(value),
    confidence: matchLabel(label, attribute),
    quote,
    source,
  }));
  const spoken = sentences.map(({ text, source }) => {
    if (isCued(text, attribute)) return { values: optionsIn(text, phrases), confidence: confidence.pattern, quote: text, source };
    const finish = finishIn(text, phrases);
    if (finish.length > 0) return { values: finish, confidence: confidence.pattern, quote: text, source };
    const abbreviations = phrases.filter(({ phrase }) => isAbbreviation(phrase));
    return { values: optionsIn(text, abbreviations), confidence: confidence.fuzzy, quote: text, source };
  });
  return merged([...beside, ...spoken].filter((each) => each.confidence > 0 && each.values.length > 0));
};

const partsOf = (value: string): string[] =>
  value
    .split(/[,;/+]|\band\b/)
    .map((each) => each.trim())
    .filter(Boolean);

type Mention = Omit<Finding, 'value'> & { values: string[] };

/** Combines findings of equal confidence in one source; the quote is the first one. */
function merged(mentions: readonly Mention[]): Finding[] {
  const groups = Map.groupBy(mentions, (each) => `${each.source} ${each.confidence}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ ...first, value: [...new Set(group.flatMap(({ values }) => values))] }] : [];
  });
}

interface Phrase {
  phrase: string;
  option: string;
  /** Case-sensitive: 'CE' must not match 'ce', and 'Red' must not match 'red' if both are options. */
  exact: boolean;
}

function phrasesOf(attribute: RequestedAttribute): Phrase[] {
  const meanings = meaningsOf(attribute).flatMap(([phrase, meant]) => {
    const option = attribute.options.find((each) => each.toLowerCase() === meant.toLowerCase());
    return option ? [{ phrase, option }] : [];
  });
  const all = [...attribute.options.map((option) => ({ phrase: option, option })), ...meanings];
  const spellings = Map.groupBy(attribute.options, (option) => option.toLowerCase());
  const isExact = (phrase: string) => isAbbreviation(phrase) || (spellings.get(phrase.toLowerCase())?.length ?? 0) > 1;
  return all.map((each) => ({ ...each, exact: isExact(each.phrase) })).sort((a, b) => b.phrase.length - a.phrase.length);
}

/** Options in a text, in order. A longer phrase hides shorter ones inside it: 'dark blue' is not 'blue'. */
function optionsIn(text: string, phrases: readonly Phrase[]): string[] {
  const words = plain(text);
  const taken: { start: number; end: number; option: string }[] = [];
  for (const { phrase, option, exact } of phrases) {
    if (exact && !text.includes(phrase)) continue;
    for (const start of placesOf(phrase, words)) {
      const end = start + phrase.length;
      if (isDenied(words, start) || taken.some((each) => start < each.end && end > each.start)) continue;
      taken.push({ start, end, option });
    }
  }
  return [...new Set(taken.sort((a, b) => a.start - b.start).map(({ option }) => option))];
}

/** Matches lists of variants such as 'A steel frame in black or white'. */
function finishIn(text: string, phrases: readonly Phrase[]): string[] {
  const words = plain(text);
  const tails = [...words.matchAll(/\bin /g)].map(({ index }) => words.slice(index + 3));
  const tail = tails.find((each) => phrases.some(({ phrase }) => placesOf(phrase, each)[0] === 0));
  return tail ? optionsIn(tail, phrases) : [];
}

const isAbbreviation = (phrase: string) => !/\s/.test(phrase) && /[A-Z][^A-Z]*[A-Z]/.test(phrase);
const isCued = (text: string, attribute: RequestedAttribute) =>
  labelsOf(attribute).some((label) => placesOf(label, plain(text)).length > 0);
export const isBlank = (value: string) =>
  /^(?:[-–—?]+|n\/?a|none|unknown|tbd|tbc|not (?:specified|stated|available|known).*|see .*)$/i.test(value.trim());

/** Phrases that imply yes or no, by label of the attribute. */
const OTHER_WORDS: Record<string, { yes?: RegExp; no?: RegExp }> = {
  'water resistant': {
    yes: /\bip(?:x|\d)[3-9]k?\b/,
    no: /\b(?:keep (?:it )?dry|protect (?:it )?from (?:water|moisture|rain)|indoor use only|dry rooms only)\b/,
  },
  'dishwasher safe': { no: /\bhand wash(?:ing)? only\b|\bwash by hand\b/ },
};

export const findBooleans: Finder = (attribute, { pairs, sentences }) => {
  const labels = labelsOf(attribute);
  const others = labels.flatMap((label) => OTHER_WORDS[label] ?? []);

  const read = (text: string): boolean | undefined => {
    const words = plain(text);
    const places = labels.flatMap((label) => placesOf(label, words).map((place) => ({ label, denied: isDenied(words, place) })));
    const affirmed = places.filter(({ denied }) => !denied);
    // 'Showerproof but not waterproof' means yes; contradictory uses of one word mean nothing.
    if (affirmed.some(({ label }) => places.some((each) => each.denied && each.label === label))) return undefined;
    if (affirmed.length > 0 || others.some(({ yes }) => yes?.test(words))) return contradicted(words) ? undefined : true;
    return places.length > 0 || others.some(({ no }) => no?.test(words)) ? false : undefined;
  };
  const finding = (value: boolean | undefined, sure: number, quote: string, source: string | null): Finding[] =>
    value === undefined ? [] : [{ value, confidence: sure, quote, source }];

  return [
    ...pairs.flatMap((pair) => {
      const match = matchLabel(pair.label, attribute);
      return match === 0 ? [] : finding(yesOrNo(pair) ?? read(pair.value), match, pair.quote, pair.source);
    }),
    ...sentences
      .filter(({ text }) => !isForm(text))
      .flatMap(({ text, source }) => finding(read(text), confidence.pattern, text, source)),
  ];
};

const yesOrNo = ({ value }: Pair): boolean | undefined => {
  const [first = '', ...rest] = plain(value).split(/[,;(]/);
  // 'Lid yes, body no' is ambiguous.
  if (rest.some((each) => /\b(?:yes|no|not|only)\b/.test(each))) return undefined;
  if (/^(?:yes|true|✓|✔|y)$/.test(first.trim())) return true;
  return /^(?:no|false|✗|✘|x|none)$/.test(first.trim()) ? false : undefined;
};

/** Skips labeled lines, because their value decides. */
const isForm = (text: string) => /[:|\t=–]\s{0,9}(?:yes|no|true|false|not specified|n\/a|unknown|tbd|tbc|✓|✔|✗|✘)\b/i.test(text);

/** '…, the body is not' negates the preceding statement. */
const contradicted = (words: string) => /\b(?:is|are|but) not\s*[.!]?$/.test(words);
