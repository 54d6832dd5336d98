import { confidence, type Finder } from './finding.ts';
import { labelsOf, matchLabel } from './labels.ts';
import { placesOf, plain } from './words.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(${MONTHS.join('|')})[a-z]*\\.?`;

/** Unambiguous date formats with the order of their parts; excludes `03/04/2024`. */
const FORMS: [RegExp, order: string][] = [
  [/\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b/g, 'ymd'],
  [/\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g, 'dmy'],
  [new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH},? (\\d{4})\\b`, 'gi'), 'dmy'],
  [new RegExp(`\\b${MONTH} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'gi'), 'mdy'],
];

export const findDates: Finder = (attribute, { pairs, sentences }) => [
  ...pairs.flatMap(({ label, value, quote, source }) => {
    const match = matchLabel(label, attribute);
    return match === 0 ? [] : datesIn(value).map((date) => ({ value: date, confidence: match, quote, source }));
  }),
  ...sentences.flatMap(({ text, source }) => {
    const named = labelsOf(attribute).some((label) => placesOf(label, plain(text)).length > 0);
    return named ? datesIn(text).map((date) => ({ value: date, confidence: confidence.pattern, quote: text, source })) : [];
  }),
];

function datesIn(text: string): string[] {
  return FORMS.flatMap(([form, order]) =>
    [...text.matchAll(form)].map(([, ...parts]) => {
      const part = (name: string) => parts[order.indexOf(name)] ?? '';
      const month = MONTHS.indexOf(part('m').slice(0, 3).toLowerCase()) + 1 || Number(part('m'));
      return [part('y'), String(month).padStart(2, '0'), part('d').padStart(2, '0')].join('-');
    }),
  );
}
