import { de } from './de.ts';
import { en, type Strings } from './en.ts';

const languages: Record<string, Strings> = { en, de };

/** The texts of the first supported language in the list, such as `de-AT`; English without one. */
export function stringsFor(wanted: readonly string[]): { language: string; strings: Strings } {
  const known = wanted.map((tag) => tag.toLowerCase().split('-')[0]!).find((tag) => Object.hasOwn(languages, tag)) ?? 'en';
  return { language: known, strings: languages[known]! };
}
