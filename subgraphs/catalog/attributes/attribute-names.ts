import type { AttributeTranslation } from './translation.ts';

type Translated = { translations?: AttributeTranslation[] };

/** The names of an attribute in other languages. */
export const translatedNames = ({ translations = [] }: Translated): string[] => translations.flatMap(({ name }) => name ?? []);

/** The options whose label in any language is this text, ignoring case. */
export const optionsLabeled = (text: string, { translations = [] }: Translated): string[] => [
  ...new Set(
    translations.flatMap(({ options }) =>
      options.filter(({ label }) => label.toLowerCase() === text.toLowerCase()).map(({ option }) => option),
    ),
  ),
];
