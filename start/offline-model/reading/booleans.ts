import { confidence, type Finder, type Finding } from './finding.ts';
import { labelsOf, matchLabel } from './labels.ts';
import type { Pair } from './passages.ts';
import { isDenied, placesOf, plain } from './words.ts';

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
